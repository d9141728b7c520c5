// How the page looks: pictures for people to look at, and what machines can say about them.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { clipped, overlaps } from './reading.mjs';

const SCREENS = [
  { name: 'light', viewport: { width: 1366, height: 768 }, colorScheme: 'light' },
  { name: 'dark', viewport: { width: 1366, height: 768 }, colorScheme: 'dark' },
  { name: 'phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
];
const STARTS = ['alien-figure-1', 'alien-figure-2', 'alien-free-tree'];

for (const { name, viewport, colorScheme } of SCREENS) {
  test.describe(name, { tag: '@screens' }, () => {
    test.use({ viewport, colorScheme, reducedMotion: 'reduce' });

    for (const start of STARTS) {
      test(start, async ({ page }) => {
        await page.goto(`./#s=${start}`);
        await expect(page.locator('.picture [data-node]').first()).toBeVisible();
        if (start === 'alien-free-tree') {
          await page.getByLabel('Speed').selectOption('8×');
          await page.locator('.rail h1').click();
          for (let i = 0; i < 30; i += 1) await page.keyboard.press('ArrowRight');
          await expect(page.locator('.picture > svg')).toHaveAttribute('data-step', '30');
          await page.evaluate(() => window.scrollTo(0, 0));
        }
        await page.screenshot({ path: `../../target/screenshots/${start}-${name}.png` });

        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        expect(wide, 'no horizontal scrolling').toBeLessThanOrEqual(0);
        expect(await clipped(page), 'no text is cut off').toEqual([]);
        expect(await overlaps(page), 'nothing in the picture covers a card').toEqual([]);

        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.map((v) => `${v.id}: ${v.help} (${v.nodes.map((n) => n.target.join(' ')).join(', ')})`)).toEqual([]);
      });
    }

    test('sheet of keys', async ({ page }) => {
      await page.goto('./');
      await expect(page.locator('.picture [data-node]').first()).toBeVisible();
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
      const { violations } = await new AxeBuilder({ page }).include('.sheet').analyze();
      expect(violations.map((v) => v.id)).toEqual([]);
    });
  });
}
