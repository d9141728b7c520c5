// Scenarios of one's own: problems are said with their places, and what is right plays.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';

test.use({ reducedMotion: 'reduce' });

const BROKEN = `title = 3
algorithm = "nobody"
nodes = 0
topology = "heap"
network = "pigeons"
colour = "red"
`;

test('a broken scenario shows all its problems at once, with their lines', async ({ page }) => {
  await page.goto('./#write');
  await page.getByRole('textbox', { name: 'Scenario' }).fill(BROKEN);
  const problems = page.locator('.problems li');
  expect(await problems.count()).toBeGreaterThanOrEqual(5);
  for (const text of await problems.allTextContents()) expect(text).toMatch(/^line \d+, column \d+: /);
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeDisabled();
});

test('a right one plays', async ({ page }) => {
  await page.goto('./#write=raymond-tree');
  await expect(page.getByText('No problems')).toBeVisible();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect(page.locator('.picture [data-node]').first()).toBeVisible();
  await page.getByRole('button', { name: 'Step', exact: true }).click();
});

test('a draft survives a reload', async ({ page }) => {
  await page.goto('./#write');
  await page.getByRole('textbox', { name: 'Scenario' }).fill('title = "mine"\n');
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Scenario' })).toHaveValue('title = "mine"\n');
});

for (const colorScheme of ['light', 'dark']) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });
    test('the editor is clean', async ({ page }) => {
      await page.goto('./#write');
      await page.getByRole('textbox', { name: 'Scenario' }).fill(BROKEN);
      await page.screenshot({ path: `../../target/screenshots/write-${colorScheme}.png` });
      const { violations } = await new AxeBuilder({ page }).include('.write').analyze();
      expect(violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
    });
  });
}
