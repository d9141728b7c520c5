// Two at once: both sides go in step, the counters are the core's, the address reopens the pair.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { silence } from './reading.mjs';

test.use({ reducedMotion: 'reduce' });

silence(test);

const side = (page, which) => page.locator(`.compare-side[data-side="${which}"]`);
const steps = async (page) => [Number(await side(page, 0).getAttribute('data-step')), Number(await side(page, 1).getAttribute('data-step'))];
const counter = (page, name) => page.locator('.compare-counters tr', { has: page.getByRole('rowheader', { name, exact: true }) }).locator('td');

test('by steps both make one at a time, forwards and back', async ({ page }) => {
  await page.goto('./#compare=alien+naimi-trehel');
  await page.getByRole('button', { name: 'by steps' }).click();
  await page.keyboard.press('Home');
  expect(await steps(page)).toEqual([0, 0]);
  for (let i = 1; i <= 3; i += 1) {
    await page.getByRole('button', { name: 'Step both' }).click();
    expect(await steps(page)).toEqual([i, i]);
  }
  await page.locator('.compare').getByRole('button', { name: 'Back', exact: true }).click();
  expect(await steps(page)).toEqual([2, 2]);
});

test('by time all four enter on both sides, and the difference is right minus left', async ({ page }) => {
  await page.goto('./#compare=raymond+ricart-agrawala');
  await page.getByRole('button', { name: 'To the end' }).click();
  await expect(counter(page, 'Entries')).toHaveText(['4', '=', '4']);
  const [left, difference, right] = await counter(page, 'Messages').allTextContents();
  expect(Number(right) - Number(left)).toBe(Number(difference.replace('−', '-')));
  expect(Number(right)).toBe(24); // 2(n − 1) messages for each of four entries
  await expect(counter(page, 'Time').nth(1)).toHaveText('=');
  await expect(page.locator('.compare-visits tbody tr')).toHaveCount(4);
});

test('it plays to the end by itself', async ({ page }) => {
  await page.goto('./#compare=central-server+central-server');
  await page.getByRole('slider', { name: 'Position in both runs' }).focus();
  await page.keyboard.press('End');
  const end = await page.locator('.compare-where').getAttribute('data-place');
  await page.getByRole('slider', { name: 'Position in both runs' }).fill(String(Number(end) - 2));
  await page.locator('.compare').getByRole('button', { name: 'Play', exact: true }).click();
  await expect(page.locator('.compare-where')).toHaveAttribute('data-place', end);
  await expect(page.locator('.compare').getByRole('button', { name: 'Play', exact: true })).toBeVisible();
  await expect(page.locator('.compare-counters .differs')).toHaveCount(0); // the same on both sides
});

test('another choice is in the address, and what is wrong is said', async ({ page }) => {
  await page.goto('./#compare');
  await page.getByRole('combobox', { name: 'Right' }).selectOption('maekawa');
  await expect(page).toHaveURL(/#compare=central-server\+maekawa$/);
  await page.getByRole('combobox', { name: 'Left' }).selectOption('alien-figure-1');
  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Left' })).toHaveValue('alien-figure-1');
  await page.goto('./#compare=nobody+alien');
  await page.reload();
  await expect(page.getByText(/neither an algorithm nor a scenario/)).toBeVisible();
});

test('a side goes to the stage', async ({ page }) => {
  await page.goto('./#compare=suzuki-kasami+lamport');
  await side(page, 0).getByRole('button', { name: 'Open on the stage' }).click();
  await expect(page.getByRole('heading', { level: 1 }).first()).toContainText('Suzuki');
});

for (const [name, colorScheme, viewport] of [
  ['light', 'light', { width: 1366, height: 768 }],
  ['dark', 'dark', { width: 1366, height: 768 }],
  ['phone', 'light', { width: 390, height: 844 }],
]) {
  test.describe(name, () => {
    test.use({ colorScheme, viewport });
    test('the comparison is clean', async ({ page }) => {
      await page.goto('./#compare=raymond+ricart-agrawala');
      for (let i = 0; i < 6; i += 1) await page.getByRole('button', { name: 'Step both' }).click();
      await page.screenshot({ path: `../../target/screenshots/compare-${name}.png` });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(wide, 'no horizontal scrolling').toBeLessThanOrEqual(0);
      const { violations } = await new AxeBuilder({ page }).include('.compare').analyze();
      expect(violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
    });
  });
}
