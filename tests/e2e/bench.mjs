// How smooth the stage is in real Chromium: the work of the page's main thread in each frame while it plays at 8×, from the browser's own trace.
// Prints median and longest frame; `node bench.mjs` after `cargo xtask build`, with the same PORT and CHROMIUM as the tests.

import { chromium } from '@playwright/test';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PORT } from './serve.mjs';

const SYSTEMS = [
  { name: '31 nodes, at least 60 messages in flight', link: 'v=1&a=suzuki-kasami&n=31&t=2&load=rate:2&delay=uniform:2:4&section=const:0.3&seed=1', flights: 60 },
  { name: '255 nodes', link: 'v=1&a=alien&n=255&t=1&top=binary-tree&load=rate:0.5&delay=uniform:0.1:0.5&section=const:0.3&seed=1', flights: 0 },
];
const SECONDS = 6;
const FRAME = 1000 / 60;

const server = spawn(process.execPath, [fileURLToPath(new URL('serve.mjs', import.meta.url))], { stdio: ['ignore', 'pipe', 'inherit'] });
await new Promise((ready) => server.stdout.once('data', ready));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
let smooth = true;
try {
  for (const system of SYSTEMS) {
    const page = await browser.newPage({ viewport: { width: 1366, height: 768 } });
    await page.goto(`http://127.0.0.1:${PORT}/#${system.link}`);
    await page.waitForSelector('.picture [data-node]');
    await page.getByLabel('Speed').selectOption('8×');
    await page.evaluate(() => document.activeElement.blur());
    const flights = () => page.evaluate(() => window.lockstep.state().flights.length);
    for (let i = 0; i < 400 && (await flights()) < system.flights; i += 1) await page.keyboard.press('ArrowRight');
    if ((await flights()) < system.flights) throw new Error(`${system.name}: there are never so many messages in flight`);
    const before = await page.evaluate(() => window.lockstep.state().step);
    await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', 'blink.user_timing', '__metadata'] });
    await page.keyboard.press('p');
    await page.waitForTimeout(SECONDS * 1000);
    await page.keyboard.press('p');
    const trace = JSON.parse((await browser.stopTracing()).toString());
    const steps = (await page.evaluate(() => window.lockstep.state().step)) - before;
    const work = frames(trace.traceEvents);
    const median = work[Math.floor(work.length / 2)] ?? 0;
    const longest = work.at(-1) ?? 0;
    smooth &&= median < 8 && longest < 32;
    console.log(`${system.name}: ${steps} steps in ${SECONDS} s, ${work.length} frames with work: median ${median.toFixed(1)} ms, longest ${longest.toFixed(1)} ms (${await flights()} messages in flight at the end)`);
    await page.close();
  }
} finally {
  await browser.close();
  server.kill();
}
console.log(smooth ? 'Smooth: median under 8 ms and no frame over 32 ms.' : 'Not smooth: the median should be under 8 ms and no frame over 32 ms.');

/** The work of the page's main thread, summed up by frames of a sixtieth of a second; a task belongs to the frame in which it begins. Sorted. */
function frames(events) {
  // the page's renderer is the process in which our timers fire
  const counts = new Map();
  for (const e of events) if (e.name === 'TimerFire') counts.set(`${e.pid} ${e.tid}`, (counts.get(`${e.pid} ${e.tid}`) ?? 0) + 1);
  const [main] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  const tasks = events.filter((e) => `${e.pid} ${e.tid}` === main && e.ph === 'X' && /RunTask$/.test(e.name) && e.dur > 0);
  const sums = new Map();
  let end = 0;
  for (const { ts, dur } of tasks.sort((a, b) => a.ts - b.ts)) {
    if (ts < end) continue; // a task within another one
    end = ts + dur;
    const frame = Math.floor(ts / 1000 / FRAME);
    sums.set(frame, (sums.get(frame) ?? 0) + dur / 1000);
  }
  return [...sums.values()].filter((ms) => ms >= 0.5).sort((a, b) => a - b);
}
