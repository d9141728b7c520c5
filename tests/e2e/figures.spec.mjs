// The picture shows what the core says, at every step of the figures: forwards, backwards and on a
// branch.

import { expect, test } from '@playwright/test';
import { agrees, back, picture, seen, silence, step, stop, told } from './reading.mjs';

test.use({ reducedMotion: 'reduce' });

silence(test, { onlyErrors: true });

test('the first screen is Figure 1b, paused, with a question and one primary button', async ({ page }) => {
  await page.goto('./');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Alien threads');
  await expect(stop(page, '1b')).toHaveAttribute('aria-current', 'step');
  await expect(page.getByRole('button', { name: 'Play to the next stop' })).toHaveAttribute('aria-pressed', 'false');
  await expect(page.locator('.primary:visible')).toHaveCount(1);
  await expect(step(page)).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('region', { name: 'Question' })).toBeInViewport({ ratio: 1 });
  await agrees(page);
});

test('Figure 1 from 1b to 1f and back to 1a, step by step', async ({ page }) => {
  await page.goto('./');
  const moments = new Map();
  const remember = async () => {
    const { step } = await agrees(page);
    moments.set(step, { markup: await seen(page), fingerprint: await page.evaluate(() => window.lockstep.fingerprint()) });
  };
  await stop(page, '1a').click();
  await remember();
  const names = ['1b', '1c', '1d', '1e', '1f'];
  for (const name of names) {
    while ((await stop(page, name).getAttribute('aria-current')) !== 'step') {
      await step(page).click();
      await remember();
    }
  }
  expect(moments.size).toBe(19); // 1a is the third step, 1f the twenty-first
  const last = await told(page);
  expect(last.nodes.map((n) => n.inside)).toEqual(['p1.4', '', '']);

  while ((await stop(page, '1a').getAttribute('aria-current')) !== 'step') {
    await back(page).click();
    const { step } = await agrees(page);
    expect(await page.evaluate(() => window.lockstep.fingerprint())).toBe(moments.get(step).fingerprint);
    expect(await seen(page)).toEqual(moments.get(step).markup);
  }
});

test('another event than the figure’s begins a branch, and there is a way back', async ({ page }) => {
  await page.goto('./');
  const before = await agrees(page);
  await page.getByRole('tab', { name: /Events/ }).click();
  await page.locator('.pick:not(.next)').first().click();
  const branch = await agrees(page);
  expect(branch).not.toEqual(before);
  await expect(page.getByText('Branch of Figure 1')).toBeVisible();
  await step(page).click();
  await agrees(page);
  await page.getByRole('button', { name: 'Back to the figure' }).click();
  expect(await agrees(page)).toEqual(before);
  await expect(page.getByText('Branch of Figure 1')).toHaveCount(0);
  await step(page).click();
  await expect(stop(page, '1c')).toBeVisible();
  expect((await agrees(page)).step).toBe('8');
});

test('a fault can be picked and is told', async ({ page }) => {
  await page.goto('./');
  await page.getByRole('tab', { name: /Events/ }).click();
  await page.getByText(/Faults and interventions/).click();
  await page.getByRole('button', { name: 'p2 crashes' }).click();
  await expect(page.locator('.say .what')).toContainText('p2 crashes');
  await agrees(page);
});

test('an answer is told at once whether it is right, and remembered', async ({ page }) => {
  await page.goto('./');
  const question = page.getByRole('region', { name: 'Question' });
  await question.getByRole('button').first().click();
  await expect(question.getByRole('status')).toContainText('Not quite.');
  await question.getByRole('button', { name: 'p3.1, via p2.' }).click();
  await expect(question.getByRole('status')).toContainText('Yes.');
  await page.reload();
  await expect(question.getByRole('status')).toContainText('Yes.');
});

test('Figure 2 opens and every one of its steps is drawn as the core has it', async ({ page }) => {
  await page.goto('./');
  await page.locator('.rail').getByRole('button', { name: 'Next', exact: true }).click();
  await expect(stop(page, '2b')).toHaveAttribute('aria-current', 'step');
  await agrees(page);
  while ((await stop(page, '2f').getAttribute('aria-current')) !== 'step') {
    await step(page).click();
    await agrees(page);
  }
  expect((await told(page)).links).toEqual(['probOwner p1 p2', 'probOwner p3 p1']);
});

test('the free tree plays, pauses and takes another variant', async ({ page }) => {
  await page.goto('./#s=alien-free-tree');
  await page.getByLabel('Speed').selectOption('8×');
  await page.keyboard.press('Escape');
  await page.locator('.rail h1').click();
  await page.keyboard.press('p');
  await expect.poll(async () => Number((await told(page)).step)).toBeGreaterThan(25);
  await page.keyboard.press('p');
  await agrees(page);
  await page.getByRole('button', { name: 'v1', exact: true }).click();
  expect((await agrees(page)).step).toBe('0');
});

test('keys, the line of steps and the space-time diagram lead to the same moments', async ({ page }) => {
  await page.goto('./');
  await page.keyboard.press('Home');
  expect((await agrees(page)).step).toBe('0');
  await page.keyboard.press('ArrowRight');
  expect((await agrees(page)).step).toBe('1');
  await page.keyboard.press('4');
  await expect(stop(page, '1d')).toHaveAttribute('aria-current', 'step');
  await page.keyboard.press('End');
  await expect(stop(page, '1f')).toHaveAttribute('aria-current', 'step');
  await page.getByLabel('Steps').fill('5');
  expect((await agrees(page)).step).toBe('5');
  await page.locator('.strip [data-index="9"]').click();
  expect((await agrees(page)).step).toBe('9');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeHidden();
});

test('a copied link opens the same state', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('./');
  await step(page).click();
  const state = await agrees(page);
  const fingerprint = await page.evaluate(() => window.lockstep.fingerprint());
  await page.getByRole('button', { name: 'Copy link' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await context.newPage();
  await other.goto(link);
  await expect(picture(other)).toBeVisible();
  expect(await agrees(other)).toEqual(state);
  expect(await other.evaluate(() => window.lockstep.fingerprint())).toBe(fingerprint);
});

test('a link that is wrong says so and leaves a page that works', async ({ page }) => {
  await page.goto('./#v=1&a=nothing');
  await expect(page.getByText(/This link cannot be opened/)).toBeVisible();
  await step(page).click();
  await agrees(page);
});

test.describe('with motion', () => {
  test.use({ reducedMotion: 'no-preference' });

  test('messages glide to their receiver, then the state changes', async ({ page }) => {
    // the clock stands still in the middle of the glide, however slow the machine
  await page.clock.install();
    await page.goto('./');
    await stop(page, '1a').click();
    await step(page).click(); // p3.1 asks: REQ(p3) is sent
    await agrees(page);
    await step(page).click(); // p3.2 asks
    await agrees(page);
    const mark = page.locator('.picture [data-flight="REQ(p3)"]');
    const from = (await mark.boundingBox()).y;
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
    await step(page).click(); // it is delivered
    await page.clock.runFor(250);
    await expect(picture(page)).toHaveAttribute('data-moving', 'true');
    expect((await mark.boundingBox()).y).toBeLessThan(from - 5);
    await page.clock.resume();
    await expect(mark).toBeHidden();
    await agrees(page);
  });
});

test('the page survives a browser without storage', async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', { get: () => { throw new DOMException('denied', 'SecurityError'); } });
  });
  await page.goto('./');
  await page.getByRole('button', { name: /^Theme/ }).click();
  await step(page).click();
  await agrees(page);
});
