// The gallery: every card opens and plays to its end without an error, and figures are found by
// their numbers.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { silence } from './reading.mjs';

test.use({ reducedMotion: 'reduce' });

const complaints = silence(test);

for (const shelf of ['Alien threads', 'Lecture notes', 'Clusters', 'Locks on ranges', 'Wait-free', 'Beyond the papers']) test(`${shelf}: each card says what one will see and how long it takes, opens and plays to its end`, async ({ page }) => {
  test.setTimeout(240_000);
  await page.goto('./#figures');
  const cards = page.locator(`.shelf[aria-label="${shelf}"] .figure-card`);
  await expect(cards.first()).toBeVisible();
  const all = await cards.evaluateAll((list) =>
    list.map((card) => ({
      href: card.querySelector('a').getAttribute('href'),
      says: card.querySelector('a p').textContent.length,
      minutes: / min/.test(card.querySelector('.figure-facts').textContent),
    })),
  );
  expect(all.length).toBeGreaterThanOrEqual(4);
  for (const { href, says, minutes } of all) {
    expect(says, href).toBeGreaterThan(10);
    expect(minutes, href).toBe(true);
    await page.getByRole('link', { name: 'Figures', exact: true }).click();
    await page.locator(`.figure-card a[href="${href}"]`).click();
    await expect(page.locator('.picture [data-node]').first()).toBeVisible();
    await page.keyboard.press('Home');
    const end = Number(await page.getByLabel('Steps').getAttribute('max'));
    await page.evaluate(async (steps) => {
      for (let step = 0; step < steps; step += 1) {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
        await new Promise((go) => requestAnimationFrame(go));
      }
    }, end);
    if (end > 0) await expect(page.locator('.picture > svg'), href).toHaveAttribute('data-step', String(end));
    expect(complaints, href).toEqual([]);
  }
  await page.getByRole('link', { name: 'Figures', exact: true }).click();
  await expect(page.locator('.gallery-progress')).toContainText(`${all.length} of`);
  await page.reload();
  await expect(page.locator('.gallery-progress')).toContainText(`${all.length} of`);
});

for (const [search, href] of [
  ['Meza Figure 1', '#s=alien-figure-1'],
  ['Bertier Figure 8', '#s=hierarchical-figures-7-8'],
  ['Figure 7', '#s=hierarchical-figures-7-8'],
  ['clusters Figure 9', '#lab=hierarchical'],
  ['alien-threads Figure 3', '#lab=alien'],
]) {
  test(`“${search}” is found by its number`, async ({ page }) => {
    await page.goto('./#figures');
    await page.getByRole('searchbox').fill(search);
    await expect(page.locator(`.gallery a[href="${href}"]`)).toBeVisible();
  });
}

for (const colorScheme of ['light', 'dark']) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });
    test('the gallery is clean', async ({ page }) => {
      await page.goto('./#figures');
      await expect(page.locator('.thumbnail [data-node]').first()).toBeVisible();
      await page.waitForTimeout(1500);
      await page.screenshot({ path: `../../target/screenshots/figures-${colorScheme}.png` });
      const { violations } = await new AxeBuilder({ page }).include('.gallery').analyze();
      expect(violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
    });
  });
}
