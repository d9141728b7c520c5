// The page starts without an error; what it does not need at once it fetches later.

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
  const part = /part_lab-[0-9a-f]+\.wasm$/; // a page that is open finds no part of another build
  await page.route(part, (route) => route.abort());
  await page.goto('./');
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  const before = await page.evaluate(() => lockstep.fingerprint());
  expect(fetched.filter((path) => /(part|shared)_/.test(path)), 'the stage needs none of it').toEqual([]);

  await page.getByRole('link', { name: 'Lab', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('could not be downloaded');
  expect(await page.evaluate(() => lockstep.fingerprint()), 'the run on the stage is untouched').toBe(before);
  await page.unroute(part);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Lab', exact: true })).toBeVisible();
  expect(fetched.filter((path) => part.test(path))).toHaveLength(2);
});

test('another run is opened by the library, which comes when it is first wanted', async ({ page }) => {
  const part = /part_library-[0-9a-f]+\.wasm$/;
  let asked = 0;
  page.on('request', (request) => (asked += part.test(request.url())));
  await page.route(part, (route) => route.abort());
  await page.goto('./');
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  const before = await page.evaluate(() => lockstep.fingerprint());
  const figure = page.getByRole('heading', { level: 2 }).first();
  await expect(figure).toContainText('Figure 1');
  expect(asked, 'the first figure needs no library').toBe(0);

  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await expect(page.locator('.say .notice')).toContainText('could not be downloaded');
  expect(await page.evaluate(() => lockstep.fingerprint()), 'the run on the stage is untouched').toBe(before);
  await page.unroute(part);
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await expect(figure).toContainText('Figure 2');
  await expect(page).toHaveURL(/#s=alien-figure-2$/);
  await page.goBack();
  await expect(figure).toContainText('Figure 1');
  expect(asked).toBe(2);
});

test('the form for a system of one’s own and the sheet of files come with the library', async ({ page }) => {
  await page.goto('./');
  await page.getByText('A system of your own').click();
  await expect(page.getByRole('button', { name: 'Open on the stage' })).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Files' })).toBeVisible();
});

test('a link whose library does not arrive says so, and a reload opens it', async ({ page }) => {
  const part = /part_library-[0-9a-f]+\.wasm$/;
  await page.route(part, (route) => route.abort());
  await page.goto('./#s=raymond-tree');
  await expect(page.locator('.say .notice')).toContainText('could not be downloaded');
  await expect(page.getByRole('heading', { level: 1 }).first()).toContainText('Alien');
  await page.unroute(part);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 }).first()).toContainText('Raymond');
});

test('where the browser does not copy, every place says the link instead', async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page.goto('./#figures');
  await page.getByRole('button', { name: 'Copy link' }).click();
  const said = page.getByRole('status').filter({ hasText: 'does not allow this page to copy' });
  await expect(said).toBeVisible();
  await expect(said).toContainText('#figures');
  await page.getByRole('link', { name: 'Stage', exact: true }).click();
  await expect(said).toHaveCount(0);
});
