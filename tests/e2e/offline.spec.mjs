// Without a network: a page that was opened once works in every place, and an open page keeps the
// files of its own build.

import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, test } from '@playwright/test';
import { silence } from './reading.mjs';
import { answer } from './serve.mjs';

test.use({ serviceWorkers: 'allow', reducedMotion: 'reduce' });

silence(test);

/** The page, once it is kept. */
async function kept(page, address) {
  await page.goto(address);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
}

const step = (page) => page.getByRole('button', { name: 'Step', exact: true });
const fingerprint = (page) => page.evaluate(() => lockstep.fingerprint());

test('what was opened once works without a network: another run, a check, a link', async ({ page, context }) => {
  await kept(page, './');
  await context.setOffline(true);
  await page.reload();
  await step(page).click();
  await page.getByRole('link', { name: 'Figures', exact: true }).click();
  await expect(page.locator('.figure-card').first()).toBeVisible();
  await page.getByRole('link', { name: 'Check', exact: true }).click();
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await expect(page.locator('.outcome')).toContainText(/No violation in 1.636 states/);

  await page.goto('./#s=raymond-tree');
  await expect(page.getByRole('heading', { level: 1 }).first()).toContainText('Raymond');
  await step(page).click();
  const before = await fingerprint(page);
  await page.reload();
  await expect(step(page)).toBeVisible();
  await expect.poll(() => fingerprint(page)).toBe(before);
});

test('a newer page comes with a reload, at the same state, once no other page of the old build is open', async ({ page, context }) => {
  let newer = false;
  const edit = (name, body) => {
    if (!newer) return body;
    if (/offline\.js$/.test(name)) return String(body).replace(/BUILD = '.*?'/, "BUILD = 'newer'");
    if (/index\.html$/.test(name)) return String(body).replace(/<title>.*?<\/title>/, '<title>Newer</title>');
    return body;
  };
  const server = createServer((request, response) => answer(request, response, edit)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${server.address().port}/`;
  try {
    await kept(page, address);
    await step(page).click();
    const before = await fingerprint(page);
    const title = await page.title();
    const other = await context.newPage();
    await other.goto(address);

    newer = true;
    const keeper = (look) => page.evaluate(`navigator.serviceWorker.getRegistration().then((keeper) => ${look})`);
    await keeper('void keeper.update()');
    await expect.poll(() => keeper('keeper.waiting !== null')).toBe(true);
    await page.reload();
    await expect(step(page)).toBeVisible();
    expect(await page.title(), 'the other page still needs the old build').toBe(title);

    await other.close();
    await page.reload();
    await expect(page).toHaveTitle(/Newer/);
    await expect(step(page)).toBeVisible();
    await expect.poll(() => fingerprint(page)).toBe(before);
    expect(await page.evaluate(() => caches.keys()), 'the old build is forgotten').toEqual([expect.stringMatching(/ newer$/)]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
