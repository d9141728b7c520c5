// Faults: a browser that stores nothing more, a database that another tab deletes, files that do
// not arrive. Nothing is lost silently, and the page says what to do.

import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';

test.use({ reducedMotion: 'reduce' });

const button = (page, name) => page.locator('.lab').getByRole('button', { name, exact: true });
const progress = (page) => page.locator('.lab-progress progress');
const done = async (page) => Number(await progress(page).getAttribute('value'));
const unsaved = (page) => page.locator('.lab .unsaved');

/** The name of the store in every browser that has used the page. */
const STORE = 'texts';

/** What the browser has stored, by name. */
const stored = (page) =>
  page.evaluate(
    (store) =>
      new Promise((tell) => {
        const request = indexedDB.open('lockstep');
        request.onsuccess = () => {
          const base = request.result;
          if (!base.objectStoreNames.contains(store)) return base.close(), tell([]);
          const names = base.transaction(store).objectStore(store).getAllKeys();
          names.onsuccess = () => (base.close(), tell(names.result.filter((name) => !/\|(observe|prove .*|document)$/.test(name))));
        };
      }),
    STORE,
  );

async function complete(page) {
  await expect(button(page, 'Pause')).toBeHidden({ timeout: 200_000 });
  await expect(button(page, 'Continue')).toBeHidden();
}

/** Deletes the database as another tab would; what happened first. */
const deleteDatabase = (page) =>
  page.evaluate(
    () =>
      new Promise((tell) => {
        const request = indexedDB.deleteDatabase('lockstep');
        request.onsuccess = () => tell('deleted');
        request.onblocked = () => tell('blocked');
        request.onerror = () => tell('refused');
      }),
  );

test.describe('storage', () => {
  test('a full quota is said, the results stay on the page, and are stored once there is room', async ({ page, context }) => {
    await page.goto('./favicon.svg');
    const cdp = await context.newCDPSession(page);
    const origin = new URL(page.url()).origin;
    await cdp.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 5_000 });
    await page.goto('./#lab=wait-free');
    await expect(page.locator('.lab')).toContainText('Nothing has been run yet');
    await button(page, 'Run').click();
    await complete(page);
    await expect(unsaved(page)).toContainText(/\d+ results are not stored and are lost when you close this page\. The browser has no room/);
    const all = Number(await progress(page).getAttribute('max'));
    expect(await done(page), 'all points are on the page').toBe(all);
    await page.screenshot({ path: '../../target/screenshots/fault-quota.png' });

    const [download] = await Promise.all([page.waitForEvent('download'), unsaved(page).getByRole('button', { name: 'Save records as a file' }).click()]);
    const lines = readFileSync(await download.path(), 'utf8').trim().split('\n').length;
    expect(lines, 'a header and all records').toBeGreaterThan(all / 2);

    await cdp.send('Storage.overrideQuotaForOrigin', { origin });
    await unsaved(page).getByRole('button', { name: 'Store again' }).click();
    await expect(unsaved(page)).toBeHidden();
    await page.reload();
    await expect.poll(() => done(page)).toBe(all);
    await complete(page);
  });

  test('a database that another tab deletes is let go, and made again for the next results', async ({ page, context }) => {
    await page.goto('./#lab=wait-free');
    await button(page, 'Run').click();
    await expect.poll(() => done(page), { timeout: 60_000 }).toBeGreaterThan(0);
    const other = await context.newPage();
    await other.goto('./favicon.svg');
    expect(await deleteDatabase(other)).toBe('deleted');
    await complete(page);
    await expect(unsaved(page)).toBeHidden();
    await expect.poll(async () => (await stored(other)).length, 'what came later is stored').toBeGreaterThan(0);
    expect(await deleteDatabase(other), 'one connection, which closes').toBe('deleted');
  });

  test('a database that another tab holds up is said, and stored in once it is free', async ({ page, context }) => {
    const other = await context.newPage();
    await other.goto('./favicon.svg');
    // a connection that does not close, and a deletion that waits for it: every opening waits too
    await other.evaluate(
      (store) =>
        new Promise((go) => {
          const request = indexedDB.open('lockstep', 1);
          request.onupgradeneeded = () => request.result.createObjectStore(store);
          request.onsuccess = () => {
            window.held = request.result;
            indexedDB.deleteDatabase('lockstep').onblocked = go;
          };
        }),
      STORE,
    );
    await page.goto('./#lab=wait-free');
    await expect(page.locator('.lab .notice')).toContainText('Stored results cannot be read. Another tab is changing the database');
    await button(page, 'Run').click();
    await complete(page);
    await expect(unsaved(page)).toContainText('Another tab is changing the database');
    await other.evaluate(() => window.held.close());
    await unsaved(page).getByRole('button', { name: 'Store again' }).click();
    await expect(unsaved(page)).toBeHidden();
    await page.reload();
    await complete(page);
    expect(await done(page)).toBe(Number(await progress(page).getAttribute('max')));
  });

  test('a database of a newer version is said', async ({ page, context }) => {
    const other = await context.newPage();
    await other.goto('./favicon.svg');
    await other.evaluate(
      (store) =>
        new Promise((go) => {
          const request = indexedDB.open('lockstep', 2);
          request.onupgradeneeded = () => request.result.createObjectStore(store);
          request.onsuccess = () => (request.result.close(), go());
        }),
      STORE,
    );
    await page.goto('./#lab=wait-free');
    await expect(page.locator('.lab .notice')).toContainText('A newer version of Lockstep has changed the database');
  });

  test('two tabs store the results of two studies at once', async ({ page, context }) => {
    const other = await context.newPage();
    await page.goto('./#lab=wait-free');
    await other.goto('./#lab=notes');
    const tabs = [page, other];
    await Promise.all(tabs.map((tab) => button(tab, 'Run').click()));
    await Promise.all(tabs.map(complete));
    const counts = await Promise.all(tabs.map(done));
    await Promise.all(tabs.map((tab) => tab.reload()));
    for (const [i, tab] of tabs.entries()) {
      await expect.poll(() => done(tab)).toBe(counts[i]);
      await complete(tab);
      await expect(tab.locator('.shelves-kept li')).toHaveCount(2);
    }
  });
});

test.describe('a page that cannot start says so', () => {
  const boot = (page) => page.locator('#boot[role="alert"]');
  const cases = [
    ['its program is missing', /app_bg\.wasm$/, (route) => route.fulfill({ status: 404, contentType: 'text/plain', body: 'no' }), 'could not be downloaded. Check the connection'],
    ['its program does not arrive', /app_bg\.wasm$/, (route) => route.abort(), 'could not be downloaded. Check the connection'],
    ['its program is damaged', /app_bg\.wasm$/, (route) => route.fulfill({ contentType: 'application/wasm', body: 'not wasm at all' }), 'is damaged, or this browser is too old'],
    ['its program is cut off', /app_bg\.wasm$/, (route) => cut(route, 'application/wasm'), 'is damaged, or this browser is too old'],
    ['its script is missing', /start\.js$/, (route) => route.fulfill({ status: 404, body: 'no' }), 'script of the page could not be downloaded'],
    ['its bindings are missing', /app\.js$/, (route) => route.abort(), 'script of the page could not be downloaded'],
    ['its bindings are cut off', /app\.js$/, (route) => cut(route, 'text/javascript'), 'is damaged, or this browser is too old'],
  ];

  /** Half of a file. */
  async function cut(route, contentType) {
    const response = await route.fetch();
    const body = await response.body();
    await route.fulfill({ contentType, body: body.subarray(0, body.length / 2) });
  }

  for (const [what, file, answer, said] of cases) {
    test(what, async ({ page }) => {
      await page.route(file, answer);
      await page.goto('./');
      await expect(boot(page)).toContainText('Lockstep cannot start');
      await expect(boot(page)).toContainText(said);
      await page.unroute(file);
      await boot(page).getByRole('button', { name: 'Reload' }).click();
      await expect(page.getByRole('button', { name: 'Step', exact: true })).toBeVisible();
    });
  }

  test('a browser without WebAssembly', async ({ page }) => {
    await page.addInitScript(() => delete window.WebAssembly);
    await page.goto('./');
    await expect(boot(page)).toContainText('does not run WebAssembly');
  });

  test('a program that takes its time', async ({ page }) => {
    let arrive;
    const slow = new Promise((go) => (arrive = go));
    await page.route(/app_bg\.wasm$/, async (route) => {
      await slow;
      await route.continue();
    });
    await page.goto('./');
    await expect(boot(page)).toContainText('still loading');
    arrive();
    await expect(page.getByRole('button', { name: 'Step', exact: true })).toBeVisible();
    await expect(boot(page)).toHaveCount(0);
  });

  test('where not even that script arrives, the page says to reload it', async ({ page }) => {
    await page.route(/(boot|start)\.js$/, (route) => route.abort());
    await page.goto('./');
    await expect(page.locator('#boot .late')).toBeVisible();
  });

  test('a program that stops later says so', async ({ page }) => {
    await page.goto('./');
    await expect(page.getByRole('button', { name: 'Step', exact: true })).toBeVisible();
    // a program of two instructions that traps, as a panic does
    await page.evaluate(() => {
      const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11];
      WebAssembly.instantiate(new Uint8Array(bytes)).then(({ instance }) => setTimeout(instance.exports.f));
    });
    await expect(boot(page)).toContainText('Lockstep has stopped');
  });
});

test.describe('workers', () => {
  for (const [what, file] of [['script', /worker\.js$/], ['part', /part_wait_free-/]]) {
    test(`a ${what} of the workers that does not arrive ends the run after a few attempts, and it continues later`, async ({ page }) => {
      let asked = 0;
      await page.route(file, (route) => {
        asked += 1;
        return route.abort();
      });
      await page.goto('./#lab=wait-free');
      await button(page, 'Run').click();
      await expect(page.locator('.lab .notice')).toContainText('could not be downloaded in three attempts');
      const workers = Math.max(1, Math.min(16, (await page.evaluate(() => navigator.hardwareConcurrency)) - 1));
      expect(asked, 'no more than three attempts for each worker, and one for the cost').toBeLessThanOrEqual(3 * workers + 1);
      await expect(button(page, 'Pause')).toBeHidden();
      await page.unroute(file);
      await button(page, 'Run').click();
      await complete(page);
      await expect(page.locator('.lab .gaps')).toBeHidden();
    });
  }

  test('a worker that does not arrive is said in the checker too', async ({ page }) => {
    await page.route(/worker\.js$/, (route) => route.abort());
    await page.goto('./#check');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.locator('.check')).toContainText('could not be downloaded. Try again.');
    await page.unroute(/worker\.js$/);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.locator('.outcome')).toContainText(/No violation in 1.636 states/);
  });

  test('verdicts from a part of the points are said to be preliminary', async ({ page }) => {
    await page.route('**/worker.js', async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replace('line.then(', 'line.then(() => new Promise((go) => setTimeout(go, 150))).then(');
      await route.fulfill({ response, body: text });
    });
    await page.goto('./#lab=wait-free');
    await button(page, 'Run').click();
    await expect.poll(() => done(page), { timeout: 60_000 }).toBeGreaterThan(1);
    await button(page, 'Cancel').click();
    await expect(page.locator('.lab .gaps')).toContainText(/Preliminary: only \d+ of \d+ points are measured, and \d small systems are not explored yet/);
    await expect(page.locator('.claims .hint')).toContainText('Verdicts are preliminary');
    await expect(page.locator('.claims .verdict').first()).toContainText('so far');
    await button(page, 'Continue').click();
    await complete(page);
    await expect(page.locator('.lab .gaps')).toBeHidden();
    await expect(page.locator('.claims .verdict').first()).not.toContainText('so far');
  });

  test('workers that die over every point end the run', async ({ page }) => {
    let started = 0;
    await page.route('**/worker.js', (route) => {
      started += 1;
      return route.fulfill({ contentType: 'text/javascript', body: 'postMessage({ ready: true }); onmessage = () => { throw new Error("dead"); };' });
    });
    await page.goto('./#lab=wait-free');
    await button(page, 'Run').click();
    await expect(page.locator('.lab .notice')).toContainText('Workers keep dying');
    const workers = Math.max(1, Math.min(16, (await page.evaluate(() => navigator.hardwareConcurrency)) - 1));
    expect(started, 'three workers for each of three points, those at work, and one for the cost').toBeLessThanOrEqual(9 + 3 * workers + 1);
  });
});
