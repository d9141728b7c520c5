// The page with its whole program in one file (`cargo xtask build --no-split`): it opens, steps,
// shows other places, and its worker answers.

import { expect, test } from '@playwright/test';

test('the page in one file fetches no parts and works', async ({ page }) => {
  const complaints = [];
  const parts = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => /(part|shared)_|parts\.js/.test(request.url()) && parts.push(request.url()));

  await page.goto('./');
  const before = await page.evaluate(() => lockstep.fingerprint());
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await expect.poll(() => page.evaluate(() => lockstep.fingerprint())).not.toBe(before);

  await page.goto('./#s=raymond-tree');
  await expect(page.getByRole('heading', { level: 1 }).first()).toContainText('Raymond');
  for (const place of ['Lab', 'Check']) {
    await page.getByRole('link', { name: place, exact: true }).click();
    await expect(page.getByRole('heading', { name: place, exact: true })).toBeVisible();
  }

  await page.goto('./#check=central-server-printed/nodes=2/requests=1/topology=full');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  // the worker has answered
  await expect(page.locator('.outcome')).toContainText('mutual exclusion');

  expect(parts).toEqual([]);
  expect(complaints).toEqual([]);
});
