// The whole run on the stage in the large diagram: it is moved, zoomed and searched, and a click
// leads to a step.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { open, own, picture, silence } from './reading.mjs';

test.use({ reducedMotion: 'reduce' });

silence(test, { onlyErrors: true });

const whole = (page) => page.getByRole('button', { name: 'whole run', exact: true });
const long = (page) => page.locator('.long-picture');
const shapes = (page) => page.locator('.long-picture svg *').count();

/** Steps on, many steps in one task. */
async function go(page, steps) {
  await page.evaluate((steps) => {
    for (let i = 0; i < steps; i += 1) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
  }, steps);
  await expect(picture(page)).toHaveAttribute('data-step', String(steps), { timeout: 120_000 });
}

test('a run of 2,900 steps is one diagram: zoom, pan, search, click', async ({ page }) => {
  test.setTimeout(240_000);
  await open(page, own('alien', 7));
  await expect(whole(page)).toBeHidden();
  await go(page, 2_900);
  await whole(page).click();
  await expect(long(page).getByRole('img')).toHaveAttribute('aria-label', '2901 events of 7 nodes');
  await expect(page.locator('.lanes-around svg')).toBeHidden();
  // the step of the stage is in the window
  await expect(page.locator('.chosen-event')).toBeVisible();
  expect(await shapes(page)).toBeLessThan(3_000);
  await long(page).focus();
  await page.keyboard.press('0');
  await expect(page.locator('.long-picture .density').first()).toBeAttached();
  await expect(page.locator('.long-tools .hint')).toContainText('more messages');
  await page.keyboard.press('Home');
  for (let i = 0; i < 40; i += 1) await page.keyboard.press('w');
  await page.keyboard.press('Home');
  await expect(page.locator('.long-event[data-event="1"]')).toBeVisible();
  await expect(picture(page), 'the keys of the page are not meant').toHaveAttribute('data-step', '2900');
  await page.locator('.long-event[data-event="2"]').click();
  await expect(picture(page)).toHaveAttribute('data-step', '2');
  await page.keyboard.press('ArrowRight');
  await expect(picture(page)).not.toHaveAttribute('data-step', '2');
  // a drag moves the diagram and chooses nothing
  const at = await picture(page).getAttribute('data-step');
  const place = () => long(page).locator('svg').first().evaluate((svg) => svg.getAttribute('style') + svg.firstElementChild.getAttribute('transform'));
  const [before, box] = [await place(), await long(page).boundingBox()];
  await page.mouse.move(box.x + 400, box.y + 20);
  await page.mouse.down();
  for (let x = 390; x > 200; x -= 10) await page.mouse.move(box.x + x, box.y + 20);
  await page.mouse.up();
  await expect.poll(place).not.toBe(before);
  await expect(picture(page)).toHaveAttribute('data-step', at);
  // the search goes from step to step
  await page.getByLabel('Search the steps').fill('ASKS');
  await page.getByLabel('Search the steps').press('Enter');
  await expect(page.locator('.long-tools [role=status]')).toContainText(/^\d+ of \d+$/);
  const found = Number(await picture(page).getAttribute('data-step'));
  expect(found).toBeGreaterThan(Number(at));
  await page.getByLabel('Search the steps').press('Enter');
  await expect.poll(async () => Number(await picture(page).getAttribute('data-step'))).toBeGreaterThan(found);
  await page.getByRole('button', { name: 'time', exact: true }).last().click();
  await expect(page.locator('.long-picture .lane').first()).toBeAttached();
  // and back to the last steps
  await whole(page).click();
  await expect(page.locator('.lanes-around svg')).toBeVisible();
});

test('the diagram of a whole run has no accessibility violation and fits a phone', async ({ page }) => {
  await open(page, own('alien', 4));
  await go(page, 80);
  await whole(page).click();
  await expect(long(page)).toBeVisible();
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    const { violations } = await new AxeBuilder({ page }).include('.strip').analyze();
    expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`)).toEqual([]);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(long(page)).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
});
