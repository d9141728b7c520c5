// The stage driven by mouse, keyboard and touch: events picked by hand, timeline, branches, undo.
// The picture shows what the core says.

import { readFileSync, readdirSync } from 'node:fs';
import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { PAST, agrees, back, clipped, drawn, fingerprint, open, overlaps, own, picture, seen, settled, silence, step, told } from './reading.mjs';

test.use({ reducedMotion: 'reduce' });

const complaints = silence(test, { onlyErrors: true });

for (const id of ['notes-central-server', 'hierarchical-figure-2', 'raymond-tree', 'alien-figure-2']) {
  test(`every step of ${id} is drawn as the core has it`, async ({ page }) => {
    await open(page, `s=${id}`);
    await page.keyboard.press('End');
    const last = Number((await told(page)).step);
    await page.keyboard.press('Home');
    for (let i = 0; i <= last; i += 1) {
      expect((await agrees(page)).step).toBe(String(i));
      if (i < last) await step(page).click();
    }
  });
}

test('200 steps forward and back show the same elements', async ({ page }) => {
  await open(page, 's=alien-free-tree');
  const at = [];
  for (let i = 0; i < 200; i += 1) {
    at.push(await seen(page, PAST));
    await page.keyboard.press('ArrowRight');
    await expect(picture(page)).toHaveAttribute('data-step', String(i + 1));
  }
  for (let i = 199; i >= 0; i -= 1) {
    await page.keyboard.press('ArrowLeft');
    await expect(picture(page)).toHaveAttribute('data-step', String(i));
    expect(await seen(page, PAST), `step ${i}`).toEqual(at[i]);
  }
});

test('by mouse: a thread asks and leaves, a message arrives, and what cannot happen says why', async ({ page }) => {
  await open(page, 's=alien-figure-1');
  await page.keyboard.press('Home');
  await page.locator('.picture [data-node="p3"] .slot').click();
  let state = await agrees(page);
  expect(state.step).toBe('1');
  expect(state.nodes[2].queue).toContain('p3.');
  await page.locator('.picture [data-node="p3"] [data-waiter]').first().click();
  await expect(page.locator('.notice')).toContainText('waits:');
  expect((await agrees(page)).step).toBe('1');
  await page.locator('.picture [data-flight]').first().click();
  state = await agrees(page);
  expect(state.step).toBe('2');
  await page.keyboard.press('2');
  await page.locator('.picture [data-inside-thread]').first().click();
  await expect(page.locator('.what')).toContainText('p1.1');
  expect((await agrees(page)).nodes[0].inside).not.toBe('p1.1');
});

test('by mouse: the menu of a node drops, holds and crashes', async ({ page }) => {
  await open(page, 's=alien-figure-1');
  await page.locator('.picture [data-node="p2"]').click({ button: 'right', position: { x: 20, y: 10 } });
  await expect(page.getByRole('menu')).toBeVisible();
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    const { violations } = await new AxeBuilder({ page }).include('.menu').analyze();
    expect(violations.map((v) => v.id)).toEqual([]);
  }
  await page.getByRole('menuitem', { name: 'p2 crashes' }).click();
  await expect(page.locator('.picture [data-node="p2"]')).toHaveClass(/crashed/);
  await agrees(page);
});

test('by keyboard: a node has the focus, Shift+F10 opens its menu, arrows and Enter choose', async ({ page }) => {
  await open(page, 's=alien-figure-1');
  const before = (await told(page)).step;
  await page.locator('.picture [data-node="p1"]').focus();
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menu')).toBeVisible();
  await expect(page.getByRole('menuitem').first()).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem').nth(1)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toBeHidden();
  expect((await agrees(page)).step).toBe(before);
  const node = page.locator('.picture [data-node="p1"]');
  await expect(node, 'the focus is where it was').toBeFocused();
  await page.keyboard.press('Shift+F10');
  await page.keyboard.press('Enter');
  expect(Number((await agrees(page)).step)).toBe(Number(before) + 1);
  await expect(node).toBeFocused();
});

for (const name of ['Keys', 'Files']) {
  test(`by keyboard: the sheet “${name}” keeps the focus and gives it back`, async ({ page }) => {
    await open(page, 's=alien-figure-1');
    const button = page.getByRole('button', { name, exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('dialog', { name });
    await expect(sheet).toBeVisible();
    for (let i = 0; i < 12; i += 1) {
      await page.keyboard.press('Tab');
      const behind = await page.evaluate(() => document.activeElement !== document.body && !document.activeElement.closest('dialog'));
      expect(behind, 'nothing behind it has the focus').toBe(false);
    }
    await page.keyboard.press('Escape');
    await expect(sheet).toBeHidden();
    await expect(button).toBeFocused();
    await page.keyboard.press('Enter');
    await page.mouse.click(5, 400); // beside it
    await expect(sheet).toBeHidden();
  });
}

test('by keyboard: a message arrives earlier or later, and the threads of a node have lanes', async ({ page }) => {
  await open(page, 's=alien-figure-1');
  const lanes = page.locator('.lanes-around svg');
  const names = await lanes.locator('.lane-name').count();
  const threads = page.getByRole('button', { name: /^Threads of p/ });
  await threads.focus();
  await page.keyboard.press('Enter');
  await expect(threads).toHaveAttribute('aria-pressed', 'true');
  expect(await lanes.locator('.lane-name').count()).toBeGreaterThan(names);
  await page.keyboard.press('End');
  const last = Number((await agrees(page)).step);
  let moved = false;
  for (let i = last; i > 1 && !moved; i -= 1) {
    const { step: at } = await told(page);
    await page.keyboard.press('Shift+ArrowLeft');
    const notice = page.locator('.notice');
    moved = await notice.isHidden();
    if (moved) expect((await agrees(page)).step).toBe(String(at - 1));
    else expect((await told(page)).step, await notice.textContent()).toBe(at);
    if (!moved) await page.keyboard.press('ArrowLeft');
  }
  expect(moved).toBe(true);
  await expect(page.getByText('Branch of Figure 1')).toBeVisible();
});

test.describe('by touch', () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });

  test('a tap delivers, a long press opens the menu and lifting the finger does nothing else', async ({ page, context }) => {
    await open(page, 's=alien-figure-1');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    const before = await agrees(page);
    const flight = page.locator('.picture [data-flight]').first();
    await flight.tap();
    expect(Number((await agrees(page)).step)).toBe(Number(before.step) + 1);

    const box = await page.locator('.picture [data-node="p1"] .card-name').boundingBox();
    const client = await context.newCDPSession(page);
    const point = { x: box.x + 5, y: box.y + 5 };
    await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] });
    await expect(page.getByRole('menu')).toBeVisible();
    await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.waitForTimeout(100);
    await expect(page.getByRole('menu')).toBeVisible();
    const { step: at } = await agrees(page);
    await page.getByRole('menuitem').first().tap();
    expect(Number((await agrees(page)).step)).toBe(Number(at) + 1);
  });
});

test('the diagram has a time axis, opens a node, and a dragged arrowhead begins a branch', async ({ page }) => {
  await open(page, 's=alien-figure-1');
  await page.keyboard.press('End');
  const lanes = page.locator('.lanes-around svg');
  const axis = page.getByRole('button', { name: 'time', exact: true });
  await axis.click();
  await expect(axis).toHaveAttribute('aria-pressed', 'true');
  expect(await lanes.locator('.ticks text').count()).toBeGreaterThan(2);
  await axis.click();
  const names = await lanes.locator('.lane-name').count();
  await lanes.locator('[data-lane="2"]').click();
  expect(await lanes.locator('.lane-name').count()).toBeGreaterThan(names);
  await lanes.locator('[data-lane="2"]').click();

  const mark = await fingerprint(page);
  // the first delivery that can be moved by a column or two
  const columns = await lanes.locator('.hit[data-sent][data-index]').evaluateAll((all) => all.map((e) => Number(e.dataset.index)));
  let moved = false;
  for (const [index, target] of columns.flatMap((i) => [[i, i - 1], [i, i + 1]])) {
    const from = await lanes.locator(`.hit[data-index="${index}"]`).boundingBox();
    const to = await lanes.locator(`.hit[data-index="${target}"]`).boundingBox();
    if (!to) continue;
    await page.mouse.move(from.x + from.width / 2, from.y + 30);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2, to.y + 32, { steps: 4 });
    await expect(page.locator('.strip')).toHaveClass(/dragging/);
    expect(await lanes.locator('.delivery-range [data-closed], .delivery-range .range-edge').count()).toBeGreaterThan(0);
    await page.mouse.up();
    await expect(page.locator('.strip')).not.toHaveClass(/dragging/);
    if ((await page.getByText('Branch of Figure 1').count()) > 0) {
      expect((await agrees(page)).step).toBe(String(target));
      moved = true;
      break;
    }
    expect(await fingerprint(page)).toBe(mark);
  }
  expect(moved).toBe(true);
  await page.getByRole('tab', { name: /Branches/ }).click();
  expect(await page.locator('.branch-row').count()).toBeGreaterThan(2);
  await page.keyboard.press('Control+z');
  expect(await fingerprint(page)).toBe(mark);
});

test('branches are a tree: click to go there, the same choice again is the same branch', async ({ page }) => {
  await open(page, 's=alien-figure-1');
  await page.getByRole('tab', { name: /Events/ }).click();
  const begin = await fingerprint(page);
  const pick = page.locator('#panel-events > .picks .pick:not(.next)').first();
  const name = await pick.locator('span').textContent();
  await pick.click();
  const branch = await fingerprint(page);
  await page.getByRole('tab', { name: /Branches/ }).click();
  const rows = page.locator('.branch-row');
  await expect(rows).toHaveCount(3);
  await expect(page.locator('.branch-row.here')).toContainText(name);
  await page.locator('.branch-row:has(em:visible)').nth(1).click();
  expect((await agrees(page)).step).toBe('8');
  await expect(page.locator('.branch')).toBeHidden();
  await back(page).click();
  expect(await fingerprint(page)).toBe(begin);
  await page.getByRole('tab', { name: /Events/ }).click();
  await page.locator('#panel-events > .picks .pick', { hasText: name }).first().click();
  expect(await fingerprint(page)).toBe(branch);
  await page.getByRole('tab', { name: /Branches/ }).click();
  await expect(rows).toHaveCount(3);
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
  }
});

test('undo leads back through steps, layouts, runs and places', async ({ page }) => {
  await open(page, 's=alien-figure-1');
  const marks = [await fingerprint(page)];
  await step(page).click();
  marks.push(await fingerprint(page));
  await page.getByLabel('Layout').selectOption('ring');
  await page.locator('.rail').getByRole('button', { name: 'Next', exact: true }).click();
  await page.getByRole('link', { name: 'Figures', exact: true }).click();
  await page.keyboard.press('Control+z');
  await expect(page.locator('.on-stage')).toBeVisible();
  await page.keyboard.press('Control+z');
  expect(await fingerprint(page)).toBe(marks[1]);
  await expect(page.getByLabel('Layout')).toHaveValue('ring');
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect(page.getByLabel('Layout')).toHaveValue('auto');
  await page.keyboard.press('Control+z');
  expect(await fingerprint(page)).toBe(marks[0]);
  await page.keyboard.press('Control+z');
  await expect(page.locator('.notice')).toHaveText('There is nothing to undo.');
  await agrees(page);
});

test('a reload loses nothing: branch, cursor, layout, and a system of one’s own', async ({ page }) => {
  await open(page, 's=alien-figure-1');
  await page.getByRole('tab', { name: /Events/ }).click();
  await page.locator('#panel-events > .picks .pick:not(.next)').first().click();
  await step(page).click();
  await back(page).click();
  await page.getByLabel('Layout').selectOption('ring');
  const mark = await fingerprint(page);
  await expect.poll(() => page.url()).toContain('layout=ring');
  await page.reload();
  await expect(page.locator('.picture [data-node]').first()).toBeVisible();
  expect(await fingerprint(page)).toBe(mark);
  await expect(page.getByLabel('Layout')).toHaveValue('ring');
  await expect(page.getByText('Branch of Figure 1')).toBeVisible();

  await page.getByText('A system of your own').click();
  await page.locator('.own button[type="submit"], .own .primary').click();
  await expect(page.getByRole('heading', { name: /^A run with \d+ nodes$/ })).toBeVisible();
  const other = await fingerprint(page);
  await page.getByRole('link', { name: 'Figures', exact: true }).click();
  await page.getByRole('link', { name: 'Stage', exact: true }).click();
  await page.reload();
  await expect(page.locator('.picture [data-node]').first()).toBeVisible();
  expect(await fingerprint(page)).toBe(other);
});

test('a reload loses nothing: at once after a step, every branch, and the run that waits while one is elsewhere', async ({ page }) => {
  await page.goto('./');
  const other = (n) => page.locator('#panel-events > .picks .pick:not(.next)').nth(n).click();
  const rows = () => page.locator('#panel-branches .branch-row').allTextContents();
  await page.getByRole('tab', { name: /Events/ }).click();
  for (const n of [0, 1]) {
    await other(n);
    await step(page).click();
    await back(page).click();
    await back(page).click();
  }
  await page.getByRole('tab', { name: /Branches/ }).click();
  await page.locator('#panel-branches .branch-row').last().click();
  await step(page).click();
  const [mark, tried] = [await fingerprint(page), await rows()];
  expect(tried.length, 'the beginning, the figure, two branches').toBe(4);
  await page.reload(); // before the address knows
  await page.getByRole('tab', { name: /Branches/ }).click();
  expect([await fingerprint(page), await rows()]).toEqual([mark, tried]);
  await expect(page.getByText('Branch of Figure 1')).toBeVisible();

  await page.getByRole('link', { name: 'Figures', exact: true }).click();
  await expect(page.locator('.figure-card').first()).toBeVisible();
  await page.reload();
  await expect(page.locator('.figure-card').first()).toBeVisible();
  await page.getByRole('link', { name: 'Stage', exact: true }).click();
  await page.getByRole('tab', { name: /Branches/ }).click();
  expect([await fingerprint(page), await rows()]).toEqual([mark, tried]);
  await page.reload();
  await expect(page.locator('.picture [data-node]').first()).toBeVisible();
  expect(await fingerprint(page)).toBe(mark);
});

test('a reload over a slow network loses nothing, though the address is to be written meanwhile', async ({ page }) => {
  await page.goto('./#s=raymond-tree');
  await step(page).click();
  await expect.poll(() => page.url()).toContain('#v=1');
  await page.route('**/', async (route) => {
    await new Promise((done) => setTimeout(done, 1500));
    await route.continue();
  });
  for (let i = 0; i < 3; i += 1) {
    await step(page).click();
    const mark = await fingerprint(page);
    await page.reload();
    await expect(step(page)).toBeVisible();
    expect(await fingerprint(page)).toBe(mark);
  }
});

test('a link gives the same state in another profile', async ({ page, browser, baseURL }) => {
  await open(page, own('suzuki-kasami', 5));
  for (let i = 0; i < 25; i += 1) await page.keyboard.press('ArrowRight');
  await expect(picture(page)).toHaveAttribute('data-step', '25');
  await expect.poll(() => page.url().length).toBeGreaterThan(150);
  await settled(page, () => page.url());
  const stranger = await browser.newContext({ baseURL });
  const other = await stranger.newPage();
  await other.goto(page.url());
  await expect(picture(other)).toHaveAttribute('data-step', '25');
  expect(await fingerprint(other)).toBe(await fingerprint(page));
  expect(await drawn(other)).toEqual(await drawn(page));
  await stranger.close();
});

test('links arrive at the states at which the command line arrives', async ({ page }) => {
  // crates/cli/tests/replay.rs replays the same list
  for (const [link, state] of Object.entries(JSON.parse(readFileSync(new URL('../links.json', import.meta.url), 'utf8')))) {
    await open(page, link);
    expect(await fingerprint(page), link).toBe(state);
  }
});

const HOSTILE = {
  'a version of tomorrow': 'v=9&a=alien&n=3',
  'an unknown algorithm': 'v=1&a=nobody&n=3',
  'a truncated link': 'v=1&a=ali',
  'choices out of range': 'v=1&a=alien&n=3&c=99999999',
  'too many nodes': 'v=1&a=alien&n=100000000',
  'a script for a name': 'v=1&a=<script>alert(1)</script>&n=3',
  'a megabyte of nonsense': `v=1&a=alien&n=3&c=${'9'.repeat(1_000_000)}`,
  'an unknown scenario': 's=nothing-of-that-name',
};

for (const [name, hash] of Object.entries(HOSTILE)) {
  test(`${name} gives a sentence and leaves the work untouched`, async ({ page }) => {
    page.on('dialog', () => complaints.push('a dialog'));
    await open(page, 's=alien-figure-2');
    await step(page).click();
    const mark = await fingerprint(page);
    await page.evaluate((h) => {
      window.location.hash = h;
    }, hash);
    await expect(page.locator('.notice')).toBeVisible();
    expect((await page.locator('.notice').textContent()).length).toBeGreaterThan(20);
    expect(await fingerprint(page)).toBe(mark);
    await step(page).click();
    await agrees(page);
  });
}

const SCENARIOS = readdirSync(new URL('../../crates/scenario/scenarios', import.meta.url)).map((file) => file.replace('.toml', ''));

/** How often anything in the document changes within a while. */
const changes = (page) =>
  page.evaluate(async () => {
    let seen = 0;
    const watch = new MutationObserver((all) => (seen += all.length));
    watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    await new Promise((done) => setTimeout(done, 300));
    watch.disconnect();
    return seen;
  });

for (const [name, viewport] of Object.entries({ laptop: { width: 1366, height: 768 }, phone: { width: 390, height: 844 } })) {
  test.describe(name, () => {
    test.use({ viewport });
    test('every scenario comes to rest: then nothing of the page changes any more', async ({ page }) => {
      await open(page, 's=alien-figure-1');
      for (const id of SCENARIOS) {
        await page.evaluate((h) => {
          window.location.hash = h;
        }, `s=${id}`);
        await expect(async () => expect(await changes(page), id).toBe(0)).toPass({ timeout: 20_000 });
        await expect(page.locator('.notice')).toBeHidden();
      }
    });
  });
}

test('a page that nobody touches asks for no animation frame', async ({ page }) => {
  await page.addInitScript(() => {
    const ask = window.requestAnimationFrame.bind(window);
    window.asked = 0;
    window.requestAnimationFrame = (f) => {
      window.asked += 1;
      return ask(f);
    };
  });
  await open(page, 's=alien-figure-1');
  await page.waitForTimeout(800);
  const before = await page.evaluate(() => window.asked);
  await page.waitForTimeout(1000);
  expect(await page.evaluate(() => window.asked)).toBe(before);
});

test('presenting: large, without rails, driven by a remote control', async ({ page }) => {
  await open(page, 's=alien-figure-1');
  await page.keyboard.press('f');
  await expect(page.locator('.rail')).toBeHidden();
  await expect(page.locator('.inspector')).toBeHidden();
  await expect(step(page)).toBeInViewport({ ratio: 1 });
  const { step: at } = await agrees(page);
  await page.keyboard.press('PageDown');
  expect(Number((await agrees(page)).step)).toBe(Number(at) + 1);
  await page.keyboard.press('PageUp');
  expect((await agrees(page)).step).toBe(at);
  await page.keyboard.press('b');
  await expect(page.locator('.blank')).toBeVisible();
  await page.keyboard.press('b');
  await expect(page.locator('.blank')).toBeHidden();
  expect(await overlaps(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.locator('.rail')).toBeVisible();
});

test('embedding: only stage, sentence and transport', async ({ page }) => {
  await page.setViewportSize({ width: 720, height: 480 });
  await open(page, 's=alien-figure-1', '?embed');
  for (const part of ['.top', '.rail', '.inspector', '.strip']) await expect(page.locator(part)).toBeHidden();
  for (const part of ['.picture', '.say', '.transport']) await expect(page.locator(part)).toBeInViewport({ ratio: 1 });
  await step(page).click();
  await agrees(page);
  expect(await overlaps(page)).toEqual([]);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map((v) => v.id)).toEqual([]);
});

for (const [name, viewport] of Object.entries({ laptop: { width: 1366, height: 768 }, phone: { width: 390, height: 844 } })) {
  test.describe(name, () => {
    test.use({ viewport });
    for (const nodes of [3, 7, 15, 31]) {
      test(`nothing covers anything with ${nodes} nodes`, async ({ page }) => {
        await open(page, own('alien', nodes));
        for (let i = 0; i < 40; i += 1) {
          await page.keyboard.press('ArrowRight');
          if (i % 5 === 4) {
            expect(await overlaps(page), `step ${i + 1}`).toEqual([]);
            expect(await clipped(page)).toEqual([]);
          }
        }
        await expect(picture(page)).toHaveAttribute('data-step', '40');
      });
    }
  });
}
