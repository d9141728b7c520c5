// Faults: a browser that stores nothing more, a database that another tab deletes, files that do
// not arrive. Nothing is lost silently, and the page says what to do.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, test } from '@playwright/test';
import { answer } from './serve.mjs';

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
    await expect.poll(() => done(page)).toBe(Number(await progress(page).getAttribute('max')));
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

  test('the unsaved results of every campaign become files, and closing the page asks first', async ({ page, context }) => {
    await page.goto('./favicon.svg');
    const cdp = await context.newCDPSession(page);
    await cdp.send('Storage.overrideQuotaForOrigin', { origin: new URL(page.url()).origin, quotaSize: 5_000 });
    const asked = [];
    page.on('dialog', (dialog) => (asked.push(dialog.type()), dialog.accept()));
    await page.goto('./#lab=wait-free');
    await button(page, 'Run').click();
    await complete(page);
    await page.locator('.lab').getByRole('button', { name: /lecture notes/i }).click();
    await button(page, 'Run').click();
    await complete(page);
    for (const [study, header] of [['wait-free, quick', 'wait-free'], ['notes, quick', 'notes']]) {
      const save = unsaved(page).getByRole('button', { name: `Save records of ${study} as a file` });
      const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
      const lines = readFileSync(await download.path(), 'utf8').trim().split('\n').map(JSON.parse);
      expect(lines[0]).toMatchObject({ study: header, size: 'quick' });
      expect(lines.length).toBeGreaterThan(5);
      expect(lines.every((line) => /^[0-9a-f]{16}$/.test(line.checksum))).toBe(true);
    }
    await page.reload();
    expect(asked).toEqual(['beforeunload']);
    await page.reload();
    expect(asked, 'nothing is unsaved any more').toHaveLength(1);
  });

  test('results that cannot be deleted stay, and the page says so', async ({ page }) => {
    await page.goto('./#lab=wait-free');
    await button(page, 'Run').click();
    await complete(page);
    await page.evaluate(() => {
      window.remove = IDBObjectStore.prototype.delete;
      IDBObjectStore.prototype.delete = () => {
        throw new DOMException('no', 'InvalidStateError');
      };
    });
    const kept = page.locator('.shelves-kept li');
    await kept.getByRole('button', { name: /^Delete/ }).click();
    await expect(page.locator('.lab .notice')).toContainText('The stored results were not deleted.');
    await expect(kept).toHaveCount(1);
    expect(await done(page)).toBeGreaterThan(0);
    await page.evaluate(() => (IDBObjectStore.prototype.delete = window.remove));
    await kept.getByRole('button', { name: /^Delete/ }).click();
    await expect(kept).toHaveCount(0);
    expect(await done(page)).toBe(0);
  });

  test('settings, drafts and experiments that are not stored are said', async ({ page }) => {
    await page.addInitScript(() => {
      const set = Storage.prototype.setItem;
      Storage.prototype.setItem = function (name, value) {
        if (this === localStorage) throw new DOMException('full', 'QuotaExceededError');
        set.call(this, name, value);
      };
    });
    await page.goto('./');
    const diagram = page.locator('.strip .fold');
    await diagram.click();
    await expect(page.locator('.say .notice')).toContainText('The browser does not store settings and answers');
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await expect(page.locator('.say .notice')).toBeHidden();
    await diagram.click();
    await expect(page.locator('.say .notice'), 'it is said once').toBeHidden();
    await page.goto('./#write');
    await page.getByRole('textbox', { name: 'Scenario' }).fill('title = "mine"\n');
    await expect(page.locator('.problems .broken')).toContainText('The browser does not store this draft');
    await page.goto('./#lab=own');
    await page.locator('#lab-values').fill('0.1, 0.2');
    await page.locator('#lab-values').blur();
    await expect(page.locator('.lab .notice')).toContainText('The browser does not store this experiment');
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

  for (const [error, said] of [['RangeError', 'has no memory for its program. Close other tabs'], ['Error', 'there is an error in its program']]) {
    test(`it ends with a ${error}`, async ({ page }) => {
      await page.addInitScript((error) => {
        WebAssembly.instantiateStreaming = WebAssembly.instantiate = () => Promise.reject(new window[error]('no'));
      }, error);
      await page.goto('./');
      await expect(boot(page)).toContainText(said);
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

test.describe('a part of the page', () => {
  test('that falls silent on its way is said, and can be tried again', async ({ page }) => {
    await page.goto('./');
    await expect(page.getByRole('button', { name: 'Step', exact: true })).toBeVisible();
    const silent = /part_places-/;
    await page.route(silent, () => {}); // neither an answer nor an error
    await page.getByRole('link', { name: 'Figures', exact: true }).click();
    const instead = page.locator('.loading:visible');
    await expect(instead).toHaveText('Loading…');
    await expect(instead).toContainText('This part of the page could not be downloaded');
    await page.unroute(silent);
    await instead.getByRole('button', { name: 'Try again' }).click();
    await expect(page.locator('.figure-card').first()).toBeVisible();
  });

  test('with the library falls silent: the page opens without it', async ({ page }) => {
    await page.route(/part_library-/, () => {});
    await page.goto('./#s=raymond-tree');
    await expect(page.locator('.say .notice')).toContainText('could not be downloaded');
    await page.unroute(/part_library-/);
    await page.reload();
    await expect(page.locator('.rail h1')).toContainText('Raymond');
  });

  test('that arrives slowly is waited for', async ({ page, baseURL }) => {
    // a host that sends a file in five pieces with pauses, longer in all than silence may last
    const host = createServer(async (request, response) => {
      if (!/part_places-/.test(request.url)) return answer(request, response);
      const body = Buffer.from(await (await fetch(new URL(request.url, baseURL))).arrayBuffer());
      response.writeHead(200, { 'content-type': 'application/wasm', 'content-length': body.length });
      const piece = Math.ceil(body.length / 5);
      for (let at = 0; at < body.length; at += piece) {
        response.write(body.subarray(at, at + piece));
        await new Promise((go) => setTimeout(go, 3_000));
      }
      response.end();
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    try {
      await page.goto(`http://127.0.0.1:${host.address().port}/#figures`);
      await expect(page.locator('.figure-card').first()).toBeVisible({ timeout: 60_000 });
    } finally {
      host.closeAllConnections();
      host.close();
    }
  });
});

test.describe('long lists of problems', () => {
  const wrong = (n) => `title = "x"\nabout = "x"\nalgorithm = "raymond"\nnodes = 3\n[[stop]]\nname = "a"\nscript = [${'"p1 flies", '.repeat(n)}]\n`;

  /** Twelve are shown and the others counted; a click shows all, another fewer. */
  async function cut(list, most) {
    await expect(list.locator('li')).toHaveCount(12);
    const more = list.getByRole('button', { name: /^and [\d]+ more$/ });
    const all = 12 + Number(/\d+/.exec(await more.textContent())[0]);
    expect(all).toBeGreaterThanOrEqual(most);
    await more.click();
    await expect(list.locator('li')).toHaveCount(all);
    await list.getByRole('button', { name: 'show fewer' }).click();
    await expect(list.locator('li')).toHaveCount(12);
  }

  test('of a scenario that is written', async ({ page }) => {
    await page.goto('./#write');
    await page.getByRole('textbox', { name: 'Scenario' }).fill(wrong(400));
    await cut(page.locator('.problems .problem-list'), 400);
  });

  test('of a file that is opened', async ({ page }) => {
    await page.goto('./');
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData('text/plain', text);
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    }, wrong(400));
    await cut(page.locator('.say .problem-list'), 400);
  });

  test('of an experiment', async ({ page }) => {
    await page.goto('./#lab=own');
    await page.locator('.own-document summary').click();
    const values = Array.from({ length: 100 }, (_, i) => -1 - i).join(', ');
    const text = page.getByRole('textbox', { name: 'Experiment as TOML' });
    await text.fill(`[base]\nalgorithm = "raymond"\n[[vary]]\nname = "rate"\nvalues = [${values}]\n`);
    await text.blur();
    await cut(page.locator('.own-problems .problem-list'), 100);
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

  test('a worker of the checker that falls silent is given up', async ({ page }) => {
    await page.clock.install();
    await page.route(/worker\.js$/, (route) => route.fulfill({ contentType: 'text/javascript', body: 'postMessage({ ready: true }); onmessage = ({ data: { id } }) => postMessage({ id, answer: JSON.stringify("working") });' }));
    await page.goto('./#check');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.clock.runFor(30_000);
    await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible();
    await page.clock.runFor(60_000);
    await expect(page.locator('.check')).toContainText('The worker died after 0 states');
    await expect(page.getByRole('button', { name: 'Check', exact: true })).toBeEnabled();
  });

  test('an exploration ends with a verdict at its memory bound, and its worker keeps it', async ({ page }) => {
    const megabytes = 100;
    await page.route(/worker\.js$/, async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replace('await init(', 'globalThis.exported = await init(');
      await route.fulfill({ response, body: text });
    });
    await page.goto(`./#check=lamport/nodes=4/requests=3/network=unordered/max-states=200000000/max-megabytes=${megabytes}`);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.locator('.outcome')).toContainText('the memory limit is reached', { timeout: 240_000 });
    const used = (await page.workers()[0].evaluate(() => globalThis.exported.memory.buffer.byteLength)) / 1e6;
    console.log(`memory of a worker with a bound of ${megabytes} MB: ${used.toFixed(0)} MB`);
    expect(used, 'it explores').toBeGreaterThan(megabytes / 4);
    expect(used, 'what is freed is used again, and the program takes little').toBeLessThan(1.25 * megabytes);
    await expect(page.getByRole('button', { name: /^Continue/ })).toBeVisible();
  });

  test('a cost that cannot be estimated is said', async ({ page }) => {
    await page.route(/worker\.js$/, (route) => route.abort());
    await page.goto('./#lab=wait-free');
    await expect(page.locator('.lab .empty')).toContainText('The cost could not be estimated, because the program of the workers could not be downloaded.');
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
