// The page starts, says its name and complains about nothing.

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
