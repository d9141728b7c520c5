// The page starts, says its name and complains about nothing; what it does not need at once it fetches later.

import { expect, test } from '@playwright/test';

test('the page starts without an error', async ({ page }) => {
  const complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => complaints.push(`${request.url()} could not be loaded`));

  await page.goto('./');
  await expect(page.getByText('Lockstep').first()).toBeVisible();
  await expect(page.locator('.loading')).toHaveCount(0); // the app has taken over
  expect(complaints).toEqual([]);
});

test('a place is fetched when it is first wanted, and asked for again if it does not arrive', async ({ page }) => {
  const fetched = [];
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
  const part = /split_lab-[0-9a-f]+\.wasm$/; // a page that is open finds no part of another build
  await page.route(part, (route) => route.abort());
  await page.goto('./');
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  const before = await page.evaluate(() => lockstep.fingerprint());
  expect(fetched.filter((path) => /(split|chunk|engine)/.test(path)), 'the stage needs none of it').toEqual([]);

  await page.getByRole('link', { name: 'Lab', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('did not arrive');
  expect(await page.evaluate(() => lockstep.fingerprint()), 'the run on the stage is untouched').toBe(before);
  await page.unroute(part);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Lab', exact: true })).toBeVisible();
  expect(fetched.filter((path) => part.test(path))).toHaveLength(2);
});
