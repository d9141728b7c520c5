// How the page looks: pictures for people to look at, and what machines can say about them.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';

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
          await page.locator('h1').click();
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

/** Elements whose text does not fit, except where three dots say so. */
function clipped(page) {
  return page.evaluate(() => {
    const cut = [];
    for (const element of document.querySelectorAll('.app *')) {
      if (element.closest('svg, .hidden, [hidden]') || !element.checkVisibility()) continue;
      const style = getComputedStyle(element);
      const dots = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none';
      const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY);
      const hides = /hidden|clip/.test(style.overflowX) && element.clientWidth > 1;
      if (!dots && !scrolls && hides && element.scrollWidth > element.clientWidth + 1) cut.push(element.className);
    }
    return cut;
  });
}

/** Cards that share an area with another card, a message or a label, on the screen itself. */
function overlaps(page) {
  return page.evaluate(() => {
    const boxes = (selector) => [...document.querySelectorAll(`.picture ${selector}`)].map((e) => [e.dataset.node ?? e.dataset.flight ?? e.textContent, e.getBoundingClientRect()]);
    const meet = (a, b, slack) => a.left < b.right - slack && b.left < a.right - slack && a.top < b.bottom - slack && b.top < a.bottom - slack;
    const cards = boxes('[data-node]');
    const found = [];
    cards.forEach(([a, ra], i) => {
      for (const [b, rb] of cards.slice(i + 1)) if (meet(ra, rb, 0)) found.push(`${a} and ${b}`);
      for (const [b, rb] of boxes('[data-flight]')) if (meet(ra, rb, 3)) found.push(`${a} and ${b}`);
      for (const [b, rb] of boxes('.label')) if (meet(ra, rb, 3)) found.push(`${a} and the label ${b}`);
    });
    const frame = document.querySelector('.picture').getBoundingClientRect();
    for (const [a, r] of [...cards, ...boxes('[data-flight]'), ...boxes('.label')]) {
      if (r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 1 || r.bottom > frame.bottom + 1) found.push(`${a} leaves the picture`);
    }
    return found;
  });
}
