// Files: saving, and opening again by choosing, dropping or pasting. What cannot be opened changes
// nothing.

import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { agrees, fingerprint, open, own, picture, silence, step } from './reading.mjs';

test.use({ reducedMotion: 'reduce' });

silence(test);

const sheet = (page) => page.getByRole('dialog', { name: 'Files' });

/** Saves a file from the sheet: its name and its bytes. */
async function saved(page, what, kind) {
  const coming = page.waitForEvent('download');
  await sheet(page).getByRole('button', { name: `${what} ${kind}` }).click();
  const download = await coming;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** Drops a file on the stage. */
async function dropped(page, name, text) {
  const data = await page.evaluateHandle(
    ([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      return data;
    },
    [name, text],
  );
  for (const event of ['dragover', 'drop']) await page.dispatchEvent('.picture', event, { dataTransfer: data });
}

const pasted = (page, text) =>
  page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  }, text);

test('every file is saved, and a saved run opens in another profile, in the same state', async ({ page, browser, baseURL }) => {
  await open(page, own('ricart-agrawala', 4));
  for (let i = 0; i < 15; i += 1) await page.keyboard.press('ArrowRight');
  await expect(picture(page)).toHaveAttribute('data-step', '15');
  await page.getByRole('button', { name: 'Files', exact: true }).click();
  for (const what of ['The stage', 'The space-time diagram']) {
    const svg = await saved(page, what, 'SVG');
    expect(svg.name).toMatch(/^lockstep-ricart-agrawala-.*\.svg$/);
    expect(svg.bytes.toString()).toMatch(/^<svg [^]*<title>[^]*<\/svg>\s*$/);
    const png = await saved(page, what, 'PNG');
    expect([...png.bytes.subarray(1, 4)].map((c) => String.fromCharCode(c)).join('')).toBe('PNG');
    expect(png.bytes.length, 'it is not empty').toBeGreaterThan(5000);
  }
  const log = (await saved(page, 'Every event with its vector clock', 'ShiViz log')).bytes.toString().trim().split('\n');
  expect(log).toHaveLength(30);
  expect(log[0]).toMatch(/^p\d \{"p\d":1\}$/);
  const lines = await saved(page, 'Every event as a line that Judge reads', 'JSON lines');
  expect(JSON.parse(lines.bytes.toString().split('\n')[0])).toMatchObject({ lockstep: 'log', algorithm: 'ricart-agrawala' });
  const trace = await saved(page, 'Every step with all variables', 'JSON');
  expect(JSON.parse(trace.bytes).steps).toHaveLength(15);

  const stranger = await browser.newContext({ baseURL });
  const other = await stranger.newPage();
  await other.goto('./');
  await other.getByRole('button', { name: 'Files', exact: true }).click();
  const choose = () => sheet(other).locator('input[type=file]').setInputFiles({ name: trace.name, mimeType: 'application/json', buffer: trace.bytes });
  await choose();
  await expect(picture(other)).toHaveAttribute('data-step', '15');
  await other.keyboard.press('Home');
  await other.getByRole('button', { name: 'Files', exact: true }).click();
  await choose(); // the same once more
  await expect(picture(other)).toHaveAttribute('data-step', '15');
  await expect(sheet(other)).toBeHidden();
  expect(await fingerprint(other)).toBe(await fingerprint(page));
  await expect.poll(() => other.url()).toContain('a=ricart-agrawala');
  await stranger.close();
});

test('a dropped scenario plays, a pasted link opens, and undo leads back', async ({ page, baseURL }) => {
  await open(page, 's=alien-figure-2');
  const before = await fingerprint(page);
  await dropped(page, 'mine.toml', 'title = "Mine"\nabout = "Three in a row."\nalgorithm = "raymond"\ntopology = "chain"\nnodes = 3\n');
  await expect(page.locator('.rail .figure h2')).toHaveText('Mine');
  await expect(page.locator('html')).not.toHaveAttribute('data-hovering');
  await agrees(page);
  await pasted(page, `${baseURL}#${own('lamport', 3)}&layout=ring\n`);
  await expect(page.locator('.rail h1')).toContainText('Lamport');
  await expect(page.getByLabel('Layout')).toHaveValue('ring');
  await pasted(page, 's=notes-token-ring');
  await expect(page.locator('.rail h1')).not.toContainText('Lamport');
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('Control+z');
  expect(await fingerprint(page)).toBe(before);
});

const HOSTILE = {
  'ten megabytes': ['x'.repeat(10_000_000), /expected at most 8192 KB/],
  'half of a saved run': ['{"format":1,"algorithm":"alien","li', /JSON but not a run/],
  'a run saved tomorrow': ['{"format":7,"link":"v=1&a=alien&n=3"}', /format 7; expected 1/],
  'a saved run with a wrong link': ['{"format":1,"link":"v=1&a=alien&n=3&c=zzz"}', /Step 1 of the link/],
  'a scenario with mistakes': ['title = 7\nalgorithm = "<img src=x onerror=alert(1)>"\n', /line 1, column 9: title: 7 is not allowed/],
  nothing: ['', /It is empty/],
};

test('what cannot be opened is said and changes nothing', async ({ page }) => {
  await open(page, 's=alien-figure-2');
  await step(page).click();
  const mark = await fingerprint(page);
  await expect.poll(() => page.url()).toContain('#v=1'); // the address is written a moment later
  const address = page.url();
  for (const [name, [text, says]] of Object.entries(HOSTILE)) {
    await dropped(page, 'file', text);
    await expect(page.locator('.notice'), name).toHaveText(says);
    expect(await fingerprint(page)).toBe(mark);
    expect(page.url(), 'nor does the address change').toBe(address);
  }
  await step(page).click();
  await agrees(page);
});

test('a file that is too large is refused before anything is fetched for it', async ({ page }) => {
  const fetched = [];
  page.on('request', (request) => fetched.push(request.url()));
  await page.goto('./');
  await expect(step(page)).toBeVisible();
  await dropped(page, 'file', HOSTILE['ten megabytes'][0]);
  await expect(page.locator('.notice')).toHaveText(HOSTILE['ten megabytes'][1]);
  expect(fetched.filter((url) => /part_|shared_/.test(url))).toEqual([]);
});
