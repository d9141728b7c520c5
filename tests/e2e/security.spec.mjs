// What docs/security.md says: the page works with the headers it names, asks no other host for
// anything, and shows text from outside as text.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, test } from '@playwright/test';
import { silence } from './reading.mjs';
import { answer } from './serve.mjs';

test.use({ reducedMotion: 'reduce' });

silence(test, { onlyErrors: true });

/** The headers of the document, by name. */
const HEADERS = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
  .match(/```\n([^`]+)```/)[1]
  .replace(/\n {2}/g, ' ')
  .trim()
  .split('\n')
  .map((line) => /^([\w-]+): (.*)$/.exec(line).slice(1));

const PLACES = ['', 's=raymond-tree', 'figures', 'compare', 'lab=wait-free', 'check', 'write', 'judge', 'judge=violated'];

test('the page works with the headers of the document, and connects to no other host', async ({ page }) => {
  const server = createServer((request, response) => {
    for (const [name, value] of HEADERS) if (name !== 'Strict-Transport-Security') response.setHeader(name, value);
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    return answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${server.address().port}/`;
  const elsewhere = [];
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(address)) elsewhere.push(request.url());
  });
  try {
    for (const place of PLACES) {
      await page.goto('about:blank');
      await page.goto(`${address}#${place}`);
      await expect(page.locator('main:visible').first()).toBeVisible();
      await expect(page.locator('.loading')).toHaveCount(0);
    }
    await page.goto(`${address}#check`);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page.locator('.outcome')).toContainText(/No violation in 1.636 states/);
    await page.goto(`${address}#judge=violated`);
    await expect(page.locator('.judge-sentence')).toContainText('violated');
    expect(elsewhere.filter((url) => url !== 'about:blank')).toEqual([]);
    const meta = await page.locator('meta[http-equiv]').getAttribute('content');
    const header = new Map(HEADERS).get('Content-Security-Policy');
    expect(header, 'the document has the policy of the page').toBe(`${meta}; frame-ancestors 'self'`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('text from outside is shown as text', async ({ page }) => {
  const evil = '<img src=x onerror=window.hit=1><script>window.hit=1</script>';
  const scenario = `title = "${evil}"\nabout = "${evil}"\nalgorithm = "naimi-trehel"\nnodes = 2\n[[stop]]\nname = "q"\ntitle = "${evil}"\nsay = "${evil}"\nscript = ["p2 asks"]\n`;
  await page.goto('./');
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  }, scenario);
  await expect(page.locator('body')).toContainText('window.hit=1');
  expect(await page.locator('.app img, .app script').count()).toBe(0);

  const cases = [{ label: evil, set: { algorithm: 'naimi-trehel' } }];
  const own = { title: evil, name: 'x', base: { nodes: 3, entries: 50 }, vary: [{ name: evil, cases }, { name: 'rate', values: [0.1, 0.2] }] };
  await page.goto(`./#lab=own:${encodeURIComponent(JSON.stringify(own))}`);
  await page.locator('.lab').getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.locator('.chart-figure').first()).toContainText('window.hit=1');
  expect(await page.locator('.app img, .app script').count()).toBe(0);
  await page.goto('./#judge');
  const log = `{"node":"${evil}","event":"enter"}\n{"node":"${evil}","event":"exit"}\n`;
  const given = page.locator('.judge-drop input[type=file]').first();
  await given.setInputFiles({ name: `${evil.replaceAll('/', '')}.jsonl`, mimeType: 'text/plain', buffer: Buffer.from(log) });
  await expect(page.locator('main.judge')).toContainText('window.hit=1');
  expect(await page.locator('.app img, .app script').count()).toBe(0);
  await page.goto(`./#v=1&a=${encodeURIComponent(evil)}&n=3`);
  await expect(page.locator('.say .notice')).toContainText('cannot be opened');
  expect(await page.locator('.app img, .app script').count()).toBe(0);
  expect(await page.evaluate(() => window.hit)).toBeUndefined();
});
