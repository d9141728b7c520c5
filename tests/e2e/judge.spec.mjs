// The judge: logs of one's own, in any format, reach a verdict; hostile ones reach a sentence.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { mkdirSync, mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { ring } from './ring.mjs';

const logs = new URL('../logs/', import.meta.url);
const log = (name) => ({ name, mimeType: 'text/plain', buffer: readFileSync(new URL(name, logs)) });
const file = (name, content) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
const sentence = (page) => page.locator('.judge-sentence');
const problem = (page) => page.locator('.judge-problem');
const button = (page, name) => page.getByRole('button', { name, exact: true });

async function give(page, files) {
  await page.goto('./#judge');
  await page.locator('.judge-drop input[type=file]').first().setInputFiles(files);
}

test.beforeEach(async ({ page }) => {
  page.on('pageerror', (error) => {
    throw error;
  });
});

/** Teaches one shape by clicking: words and their roles, meanings, the kind of message, to whom. */
async function teach(page, part, { words = {}, means, kind, to }) {
  await page.locator('.judge-shape-line', { hasText: part }).first().click();
  const lesson = page.locator('.judge-lesson');
  const row = (name) => lesson.getByRole('group', { name });
  // what was guessed is taken away first
  while ((await lesson.locator('.judge-token.named').count()) > 0) {
    await lesson.locator('.judge-token.named').first().click();
    await row('The chosen word is').getByRole('button', { name: 'nothing', exact: true }).click();
  }
  const pressed = row('The line means').locator('[aria-pressed=true]');
  while ((await pressed.count()) > 0) await pressed.first().click();
  for (const [role, word] of Object.entries(words)) {
    await lesson.locator('.judge-token').filter({ hasText: new RegExp(`^${word}$`) }).first().click();
    await row('The chosen word is').getByRole('button', { name: role, exact: true }).click();
  }
  for (const verb of means) await row('The line means').getByRole('button', { name: verb, exact: true }).click();
  if (kind) await row('Kind of message').getByRole('button', { name: kind, exact: true }).click();
  if (to) await row('Sent to').getByRole('button', { name: to, exact: true }).click();
  await button(page, 'Use this rule').click();
  await expect(lesson).toHaveCount(0);
}

test('two files of free text are taught by clicking and judged', async ({ page }) => {
  await give(page, [log('34-node1.log'), log('34-node2.log')]);
  await button(page, 'Teach the lines').click();
  const node = 'peer-1';
  await teach(page, 'asking everyone', { words: { node, stamp: '1' }, means: ['request', 'send'], kind: 'REQUEST', to: 'everybody else' });
  await teach(page, 'ask arrived', { words: { node, from: 'peer-2', stamp: '8' }, means: ['recv'], kind: 'REQUEST' });
  await teach(page, 'late ok', { words: { node, to: 'peer-2' }, means: ['send'], kind: 'REPLY' });
  await teach(page, '| ok ->', { words: { node: 'peer-2', to: 'peer-1' }, means: ['send'], kind: 'REPLY' });
  await teach(page, 'ok arrived', { words: { node, from: 'peer-2' }, means: ['recv'], kind: 'REPLY' });
  await teach(page, 'inside', { words: { node }, means: ['enter'] });
  await teach(page, 'outside', { words: { node }, means: ['exit'] });
  await teach(page, 'putting off', { words: { node }, means: ['ignore'] });
  await button(page, 'Judge with these rules').click();
  await expect(sentence(page)).toContainText('excluded: every two sections are ordered by messages');
  // the rules are there on the next visit
  await page.reload();
  await page.locator('.judge-drop input[type=file]').first().setInputFiles([log('34-node1.log')]);
  await button(page, 'Teach the lines').click();
  await expect(page.locator('#judge-rules')).toHaveValue(/enter: \{node\} \| >>> inside/);
});

test('an answer that was put off has no line of its own', async ({ page }) => {
  await give(page, [log('35-deferred.log')]);
  await button(page, 'Teach the lines').click();
  const node = 'n7000';
  await teach(page, 'wants the printer', { words: { node }, means: ['request'] });
  await teach(page, 'asks the others', { words: { node }, means: ['send'], kind: 'REQUEST', to: 'everybody else' });
  await teach(page, 'was asked by', { words: { node: 'n7001', from: 'n7000' }, means: ['recv'], kind: 'REQUEST' });
  await teach(page, 'answers', { words: { node: 'n7001', to: 'n7000' }, means: ['send'], kind: 'REPLY' });
  await teach(page, 'has an answer', { words: { node }, means: ['recv'], kind: 'REPLY' });
  await teach(page, 'keeps', { words: { node, to: 'n7001' }, means: ['defer'] });
  await teach(page, 'printing: ', { words: { node }, means: ['enter'] });
  await teach(page, 'has finished', { words: { node }, means: ['exit', 'send'], kind: 'REPLY', to: 'those put off' });
  await button(page, 'Judge with these rules').click();
  await expect(sentence(page)).toContainText('excluded');
});

test('two runs in one file are judged one by one', async ({ page }) => {
  await give(page, [log('36-two-runs.log')]);
  await button(page, 'Teach the lines').click();
  await teach(page, 'new run', { means: ['session'] });
  await teach(page, 'begins its section', { words: { node: '0' }, means: ['enter'] });
  await teach(page, 'ends its section', { words: { node: '0' }, means: ['exit'] });
  await teach(page, 'tells', { words: { node: '0', to: '1' }, means: ['send'], kind: 'RELEASE' });
  await teach(page, 'hears from', { words: { node: '1', from: '0' }, means: ['recv'], kind: 'RELEASE' });
  await page.getByLabel('One observer wrote all lines').check();
  await button(page, 'Judge with these rules').click();
  await expect(sentence(page)).toContainText('violated: both were inside at once as they were observed');
  await page.getByLabel('Run', { exact: true }).selectOption('2');
  await expect(sentence(page)).toContainText('excluded');
});

test('a pair without an order shows both pasts and another order', async ({ page }) => {
  await page.goto('./#judge=replies-too-early');
  await expect(sentence(page)).toContainText('luck: no message orders 1');
  await expect(page.locator('.past-0').first()).toBeAttached();
  await expect(page.locator('.past-1').first()).toBeAttached();
  const inside = () =>
    page.locator('.long-section').evaluateAll((all) => {
      const [a, b] = all.map((e) => e.getBoundingClientRect());
      return a.left < b.right && b.left < a.right;
    });
  expect(await inside()).toBe(false);
  await button(page, 'Draw an order with both inside').click();
  await expect.poll(inside).toBe(true);
  // from the first event that is not allowed to the stage
  await expect(page.locator('.judge-part', { hasText: 'Algorithm' }).first()).toContainText('replies to 2 (2) although its own request (1) comes first');
  await button(page, 'What should have happened').click();
  await expect(page.locator('.picture [data-node]').first()).toBeVisible();
  await expect(page).toHaveURL(/a=ricart-agrawala/);
});

test('a chain of messages leads from section to section, line by line', async ({ page }) => {
  await page.goto('./#judge=ricart-agrawala');
  await expect(sentence(page)).toContainText('excluded');
  await page.locator('.long-section').nth(0).click();
  await page.locator('.long-section').nth(1).click();
  await expect(page.locator('.judge-pair')).toContainText('Ordered by messages');
  await expect(page.locator('.judge-chain li').first()).toContainText(/01-ricart-agrawala\.jsonl:\d+/);
  await expect(page.locator('.chain').first()).toBeAttached();
  await page.locator('.judge-chain button').last().click();
  await expect(page.locator('.judge-lines .on')).toContainText('enter');
  await page.locator('.judge-lines button', { hasText: '"exit"' }).first().click();
  await expect(page.locator('.chosen-event')).toBeVisible();
});

test('a class is one table', async ({ page }) => {
  await give(page, [file('a.zip', zip([['ann/a.jsonl', log('01-ricart-agrawala.jsonl').buffer], ['bob/a.jsonl', log('02-luck.jsonl').buffer]]))]);
  const rows = page.locator('.judge-table tbody tr');
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(1)).toContainText('luck');
  const download = page.waitForEvent('download');
  await button(page, 'Save as CSV').click();
  expect(readFileSync(await (await download).path(), 'utf8')).toMatch(/^log,verdict,.*\na\.zip\/ann,excluded,/);
  await rows.nth(1).getByRole('button').click();
  await expect(sentence(page)).toContainText('luck');
});

/** Lines whose words are not guessed: `zum` means nothing. */
const ownWords = (late) => (late ? ['a zum hinein', 'b zum hinein', 'a zum hinaus', 'b zum hinaus'] : ['a zum hinein', 'a zum hinaus', 'b zum hinein', 'b zum hinaus']).join('\n');

test('a class is taught once by clicking, and its table follows; the rules are there on the next visit', async ({ page }) => {
  const class_ = [['ann/1.log', Buffer.from(ownWords(false))], ['bob/1.log', Buffer.from(ownWords(true))]];
  await give(page, [file('class.zip', zip(class_))]);
  const rows = page.locator('.judge-table tbody tr');
  await expect(rows.nth(0)).toContainText('no line was understood');
  await button(page, 'Teach the lines').click();
  await teach(page, 'a zum hinein', { words: { node: 'a' }, means: ['enter'] });
  await teach(page, 'a zum hinaus', { words: { node: 'a' }, means: ['exit'] });
  await page.getByLabel('One observer wrote all lines').check();
  await button(page, 'Judge with these rules').click();
  await expect(rows.nth(1)).toContainText('violated');
  await page.getByLabel('Compare with').first().selectOption('raymond');
  await expect(rows.nth(0).locator('td').nth(3)).not.toBeEmpty();
  await page.reload();
  await expect(page.locator('.judge-drop')).toContainText('Your rules of earlier logs are used where they match');
  await page.locator('.judge-drop input[type=file]').first().setInputFiles([file('own.log', ownWords(true))]);
  await expect(sentence(page)).toContainText('violated');
  await button(page, 'Another log').click();
  await button(page, 'Forget them').click();
  await page.locator('.judge-drop input[type=file]').first().setInputFiles([file('own.log', ownWords(true))]);
  await expect(problem(page)).toContainText('no line was understood');
});

test('a folder of whole logs is a class, and a switch makes one log of it', async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-judge-'));
  mkdirSync(join(folder, 'class'));
  for (const name of ['01-ricart-agrawala.jsonl', '02-luck.jsonl']) writeFileSync(join(folder, 'class', name), log(name).buffer);
  await page.goto('./#judge');
  await page.locator('.judge-drop input[webkitdirectory]').setInputFiles(join(folder, 'class'));
  await expect(page.locator('.judge-table tbody tr')).toHaveCount(2);
  const group = page.getByRole('group', { name: 'How the files are logs' });
  await group.getByRole('button', { name: 'one log', exact: true }).click();
  await expect(sentence(page)).toBeVisible();
  await group.getByRole('button', { name: '2 logs, one each' }).click();
  await expect(page.locator('.judge-table tbody tr')).toHaveCount(2);
});

test('a log is dropped or pasted, and stays until the next one can be read', async ({ page }) => {
  await page.goto('./#judge');
  const dropped = await page.evaluateHandle((text) => {
    const given = new DataTransfer();
    given.items.add(new File([text], 'dropped.jsonl'));
    return given;
  }, log('01-ricart-agrawala.jsonl').buffer.toString());
  await page.dispatchEvent('.judge-drop', 'drop', { dataTransfer: dropped });
  await expect(sentence(page)).toContainText('excluded');
  await button(page, 'Another log').click();
  await page.locator('.judge-drop input[type=file]').first().setInputFiles([file('broken.zip', Buffer.from('PK\x03\x04 nothing'))]);
  await expect(problem(page)).toContainText('broken.zip');
  await button(page, 'Verdict').click();
  await expect(sentence(page)).toContainText('excluded');
  await button(page, 'Another log').click();
  await page.locator('#judge-paste').fill(log('02-luck.jsonl').buffer.toString());
  await button(page, 'Judge the text').click();
  await expect(sentence(page)).toContainText('luck');
});

test('ambiguous arrows are dashed and contradictory ones red; what is missing is said', async ({ page }) => {
  await give(page, [log('08-senders-unknown-ambiguous.jsonl')]);
  await expect(sentence(page)).toContainText('unproven');
  const dashed = page.locator('.long-picture .candidate').first();
  await expect(dashed).toBeAttached();
  expect(await dashed.evaluate((arrow) => getComputedStyle(arrow).strokeDasharray)).not.toBe('none');
  await page.getByRole('region', { name: 'Ambiguous' }).getByRole('button').first().click();
  await expect(page.locator('.chosen-event')).toBeAttached();
  await page.goto('about:blank');
  await give(page, [log('23-send-logged-too-late.jsonl')]);
  await expect(sentence(page)).toContainText('nothing to judge');
  const red = page.locator('.long-picture .contradictory').first();
  await expect(red).toBeAttached();
  const stroke = await red.evaluate((arrow) => getComputedStyle(arrow).stroke);
  const muted = await page.evaluate(() => {
    const arrow = document.querySelector('.long-picture .contradictory').cloneNode();
    arrow.classList.remove('contradictory');
    document.querySelector('.long-picture svg').append(arrow);
    return getComputedStyle(arrow).stroke;
  });
  expect(stroke).not.toBe(muted);
  await page.goto('about:blank');
  await give(page, [log('09-sends-missing.jsonl')]);
  const missing = page.getByRole('region', { name: 'Missing' });
  await expect(missing.getByRole('region', { name: 'Line to print' }).first()).toContainText('"event":"send"');
  await missing.getByRole('button').first().click();
  await expect(page.locator('.judge-pair')).toContainText('does not say enough');
});

test('the skew of the clocks decides where nothing else can', async ({ page }) => {
  await page.goto('./#judge=clocks');
  await expect(sentence(page)).toContainText('by-clock');
  await expect(page.locator('.judge-verdict')).toContainText('by more than 0.25 s');
  const skew = page.locator('.judge-verdict').getByLabel('Clocks are within');
  await skew.fill('0.3');
  await skew.press('Enter');
  await expect(sentence(page)).toContainText('unproven');
});

test('long lists show twelve rows, how many follow, and all on request', async ({ page }) => {
  await give(page, [file('bad.jsonl', log('01-ricart-agrawala.jsonl').buffer + '{"node":"1","event":"blink"}\n'.repeat(400))]);
  const problems = page.getByRole('region', { name: 'Problems' });
  await expect(problems.locator('li')).toHaveCount(12);
  await expect(problems).toContainText('and 388 more');
  await problems.getByRole('button', { name: 'Show them' }).click();
  await expect(problems.locator('li')).toHaveCount(400);
});

test.describe('workers', () => {
  test('one that does not arrive is tried three times, and then by the reader', async ({ page }) => {
    let asked = 0;
    await page.route(/worker\.js$/, (route) => {
      asked += 1;
      return route.abort();
    });
    await page.goto('./#judge=ricart-agrawala');
    await expect(problem(page)).toContainText('could not be downloaded in 3 attempts');
    expect(asked).toBe(3);
    await page.unroute(/worker\.js$/);
    await button(page, 'Try again').click();
    await expect(sentence(page)).toContainText('excluded');
  });

  test('one that dies over a log is replaced once', async ({ page }) => {
    let started = 0;
    await page.route('**/worker.js', (route) => {
      started += 1;
      const body = "postMessage({ ready: true }); onmessage = () => { setTimeout(() => { throw new Error('killed'); }); };";
      return route.fulfill({ contentType: 'text/javascript', body });
    });
    await page.goto('./#judge=ricart-agrawala');
    await expect(problem(page)).toContainText('needs more memory than the browser gives');
    expect(started).toBe(2);
  });

  test('one that says nothing is said after a while, and the reader decides', async ({ page }) => {
    await page.clock.install();
    await page.route('**/worker.js', (route) => route.fulfill({ contentType: 'text/javascript', body: 'postMessage({ ready: true });' }));
    await page.goto('./#judge=ricart-agrawala');
    await expect(page.locator('.judge-busy')).toContainText('Reading and judging');
    await page.clock.fastForward(31_000);
    await expect(page.locator('.judge-busy')).toContainText('Still judging');
    await page.unroute('**/worker.js');
    await button(page, 'Start again').click();
    await expect(sentence(page)).toContainText('excluded');
  });
});

/** A zip archive of stored or deflated files; `claimed` is the size that it says. */
function zip(files, claimed) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, content] of files) {
    const packed = deflateRawSync(content);
    const size = claimed ?? content.length;
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(8, 8);
    head.writeUInt32LE(packed.length, 18);
    head.writeUInt32LE(size, 22);
    head.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(size, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    parts.push(head, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}

test('hostile files give a sentence, and the page goes on', async ({ page }) => {
  // every line another shape: letters instead of digits
  const shape = (number) => number.toString(36).replace(/\d/g, (digit) => 'ABCDEFGHIJ'[digit]);
  const cases = [
    [file('binary', Buffer.alloc(100_000)), /no line was understood/],
    [file('one-line', 'x'.repeat(10 << 20)), /no line was understood/],
    [file('bomb.zip', zip([['bomb', Buffer.alloc(20 << 20)]], 100)), /larger than it says|no line was understood/],
    [file('broken.zip', Buffer.from('PK\x03\x04 nothing')), /damaged/],
    [file('empty', ''), /no line was understood/],
    [file('shapes', Array.from({ length: 200_000 }, (_, i) => shape(i)).join('\n')), /no line was understood/],
    [file('mixed', Buffer.concat([Buffer.from('node ä\n'), Buffer.from([0xff, 0xfe, 0x80, 0x0a]), Buffer.from('x\n', 'utf16le')])), /no line was understood/],
  ];
  for (const [hostile, said] of cases) {
    await give(page, [hostile]);
    await expect(problem(page), hostile.name).toContainText(said);
    await page.goto('about:blank');
  }
  const large = join(mkdtempSync(join(tmpdir(), 'lockstep-judge-')), 'large.log');
  writeFileSync(large, '');
  truncateSync(large, 300 << 20); // without content, so that it takes no room
  await give(page, large);
  await expect(problem(page)).toContainText('The files have 300 MB; expected at most 256 MB in all.');
  // vector clocks that contradict each other
  await give(page, [file('cyclic', 'a {"a":1,"b":2}\nenter\nb {"b":1,"a":2}\nenter\na {"a":2,"b":1}\nexit\nb {"b":2,"a":1}\nexit\n')]);
  await expect(page.locator('.judge-verdict .broken')).toContainText('Lines contradict each other');
  await page.goto('about:blank');
  await give(page, [log('01-ricart-agrawala.jsonl')]);
  await expect(sentence(page)).toContainText('excluded');
});

test('names and lines are text, never markup', async ({ page }) => {
  const evil = '<img src=x onerror="window.evil=1"><b>';
  const line = (node, event) => JSON.stringify({ node: `${evil}${node}`, event, kind: evil, from: evil, to: '*' });
  const text = ['enter', 'exit', 'send', 'recv'].flatMap((event) => [line(1, event), line(2, event)]).join('\n');
  await give(page, [file(`${evil.replaceAll('/', '')}.jsonl`, `${text}\n${evil}\n`)]);
  await expect(sentence(page)).toContainText('onerror');
  await expect(page.locator('.judge-lines')).toContainText('onerror');
  await expect(page.locator('.judge img, .judge b')).toHaveCount(0);
  expect(await page.evaluate(() => window.evil)).toBe(undefined);
});

test('the diagram of 100,000 events moves without drawing everything', async ({ page }) => {
  await give(page, [file('ring.jsonl', ring(20_000))]);
  await expect(sentence(page)).toContainText('10 nodes, 20000 entries', { timeout: 120_000 });
  const shapes = () => page.locator('.long-picture svg *').count();
  expect(await shapes()).toBeLessThan(4_000);
  await button(page, 'everything').click();
  await expect(page.locator('.long-picture .density').first()).toBeAttached();
  expect(await shapes()).toBeLessThan(4_000);
  const diagram = page.locator('.long-picture');
  await diagram.focus();
  for (const key of 'wwwwwwwwwwwwwwwwwwwwdddd') await page.keyboard.press(key);
  await expect(page.locator('.long-event').first()).toBeAttached();
  expect(await shapes()).toBeLessThan(4_000);
  await page.getByLabel('Search the log').fill('"n7","event":"exit"');
  await page.getByLabel('Search the log').press('Enter');
  await expect(page.locator('.judge-log')).toContainText('1 of 2000');
  await expect(page.locator('.chosen-event')).toBeAttached();
});

/** The place of the diagram that is moved. */
const place = (page) => page.locator('.long-picture svg').first().evaluate((svg) => svg.getAttribute('style') + svg.firstElementChild.getAttribute('transform'));

test('pointer, wheel, keys and overview move the diagram, at most once in a frame', async ({ page }) => {
  await give(page, [file('ring.jsonl', ring(2_000, 40))]);
  await expect(page.locator('.long-event').first()).toBeAttached();
  const picture = page.locator('.long-picture');
  await picture.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await picture.boundingBox();
  const moves = async (what, act) => {
    const before = await place(page);
    await act();
    await expect.poll(() => place(page), what).not.toBe(before);
  };
  await moves('wheel', async () => {
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.wheel(120, 0);
  });
  const first = await page.locator('.lane-name').allTextContents();
  await moves('drag', async () => {
    await page.mouse.down();
    await page.mouse.move(x + width / 2 - 80, y + height / 2 - 150, { steps: 20 });
    await page.mouse.up();
  });
  await expect(page.locator('.chosen-event')).toHaveCount(0);
  await picture.focus();
  for (const key of ['d', 'a', 's', 'w', 'ArrowDown', 'End', 'Home']) await moves(key, () => page.keyboard.press(key));
  await page.keyboard.press('End');
  for (let i = 0; i < 60; i += 1) await page.keyboard.press('ArrowDown');
  await expect(page.locator('.lane-name', { hasText: 'n39' })).toBeVisible();
  expect(first).not.toContain('n39');
  const strip = await page.locator('.long-overview').boundingBox();
  await moves('overview', () => page.mouse.click(strip.x + strip.width / 3, strip.y + 10));
  // many movements of the pointer in one task are one picture
  const frames = await picture.evaluate(async (element) => {
    let changes = 0;
    const svg = element.querySelector('svg');
    const watch = new MutationObserver(() => { changes += 1; });
    watch.observe(svg, { attributes: true, attributeFilter: ['style'] });
    const { left, top } = element.getBoundingClientRect();
    const send = (kind, by) => element.dispatchEvent(new PointerEvent(kind, { bubbles: true, pointerId: 1, clientX: left + 300 - by, clientY: top + 20 }));
    send('pointerdown', 0);
    for (let by = 1; by < 100; by += 1) send('pointermove', by);
    send('pointercancel', 100);
    await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
    watch.disconnect();
    return changes;
  });
  expect(frames).toBe(1);
});

test('the place works by keyboard and has no accessibility violation', async ({ page }) => {
  for (const [hash, scheme] of [['judge', 'light'], ['judge=replies-too-early', 'dark'], ['judge=free-text', 'light']]) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto('about:blank');
    await page.goto(`./#${hash}`);
    await expect(page.getByRole('heading', { name: 'Judge', exact: true })).toBeVisible();
    if (hash !== 'judge') await expect(sentence(page)).toBeVisible();
    if (hash === 'judge=free-text') {
      await button(page, 'Teach the lines').click();
      await page.locator('.judge-shape-line').first().click();
      await expect(page.locator('.judge-lesson')).toBeVisible();
    }
    const found = await new AxeBuilder({ page }).include('.judge').analyze();
    expect(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`)).toEqual([]);
  }
  await page.goto('about:blank');
  await page.goto('./#judge');
  const example = page.getByRole('button', { name: 'A correct run of Ricart–Agrawala' });
  await example.focus();
  await page.keyboard.press('Enter');
  await expect(sentence(page)).toContainText('excluded');
  await page.locator('.judge-pair summary').focus();
  await page.keyboard.press('Enter');
  for (const at of [0, 1]) {
    await page.locator('.judge-sections button').nth(at).focus();
    await page.keyboard.press('Enter');
  }
  await expect(page.locator('.judge-pair')).toContainText('Ordered by messages');
  await page.locator('.long-picture').focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('.chosen-event')).toBeAttached();
});

test('nothing scrolls sideways on a phone', async ({ page }) => {
  for (const [width, height] of [[390, 844], [360, 640]]) {
    await page.setViewportSize({ width, height });
    for (const hash of ['judge', 'judge=replies-too-early', 'judge=free-text']) {
      await page.goto('about:blank');
      await page.goto(`./#${hash}`);
      await expect(page.getByRole('heading', { name: 'Judge', exact: true })).toBeVisible();
      if (hash !== 'judge') await expect(sentence(page)).toBeVisible();
      const over = await page.evaluate(() => [document.documentElement, document.querySelector('.judge').parentElement].map((e) => e.scrollWidth - e.clientWidth));
      expect(over, `${hash} at ${width}`).toEqual([0, 0]);
    }
  }
});
