// How smooth the stage is in real Chromium: the work of the page's main thread for each frame while
// it plays, from the browser's own trace.
//
// A frame's work is everything that the main thread begins within a sixtieth of a second, counted
// from the first task: timers, the core's step, drawing, the browser's style, layout and paint, its
// garbage collection. It is counted in the thread's own time, so that other programs on the machine
// do not count; frames with almost no work are left out. `node bench.mjs [--json] [name]` after
// `cargo xtask build`, with the same PORT and CHROMIUM as the tests; with `--json` one object on
// standard output.

import { inChromium } from './chromium.mjs';

/**
 * Lamport's algorithm needs 90 messages for an entry of 31 nodes; with this load and these delays
 * 60 to 90 are in flight from step 120 to step 360.
 */
const BUSY = 'v=1&a=lamport&n=31&t=1&load=rate:0.02&delay=uniform:0.2:3&section=const:0.01&seed=1';
const TREE = (nodes) => `v=1&a=alien&n=${nodes}&t=1&top=binary-tree&load=rate:0.5&delay=uniform:0.1:0.5&section=const:0.3&seed=1`;
const SYSTEMS = [
  { name: '31 nodes, about 60 messages in flight', link: BUSY, skip: 125, flights: [50, 90] },
  { name: '255 nodes', link: TREE(255), skip: 20 },
  { name: '1,023 nodes', link: TREE(1023), skip: 5, asked: false },
];
const SPEEDS = ['1×', '8×'];
const SECONDS = 6;
const FRAME = 1e6 / 60; // microseconds
const NOTHING = 0.5;
const MEDIAN = 8;
const LONGEST = 32;

const json = process.argv.includes('--json');
const only = process.argv.slice(2).find((a) => !a.startsWith('-'));
const say = json ? console.error : console.log;
const systems = [];
let smooth = true;
await inChromium(async (browser, address) => {
  for (const system of SYSTEMS) {
    if (only && !system.name.startsWith(only)) continue;
    for (const speed of SPEEDS) {
      const measured = await measure(browser, address, system, speed);
      const { name, steps, frames, median_ms, longest_ms, flights } = measured;
      const good = median_ms < MEDIAN && longest_ms < LONGEST;
      say(`${name}: ${steps} steps in ${SECONDS} s, ${frames} frames, median ${median_ms} ms, longest ${longest_ms} ms, ${flights} messages in flight${good ? '' : ' (not smooth)'}`);
      if (system.asked !== false) smooth &&= good;
      systems.push(measured);
    }
  }
});
if (json) console.log(JSON.stringify({ smooth, systems }));
say(smooth ? `Smooth: median under ${MEDIAN} ms and no frame over ${LONGEST} ms.` : `Not smooth: the median should be under ${MEDIAN} ms and no frame over ${LONGEST} ms.`);

/** Plays a system as a reader would and reads the trace. */
async function measure(browser, address, system, speed) {
  const page = await browser.newPage({ viewport: { width: 1366, height: 768 } });
  await page.goto(`${address}#${system.link}`);
  await page.waitForSelector('.picture [data-node]');
  await page.locator('select.speed').selectOption('64×');
  await page.evaluate(() => document.activeElement.blur());
  const stepped = () => page.evaluate(() => Number(document.querySelector('.picture > svg').dataset.step));
  while ((await stepped()) < system.skip) await page.keyboard.press('ArrowRight');
  await page.locator('select.speed').selectOption(speed);
  await page.evaluate(() => document.activeElement.blur());
  const before = await stepped();
  const flights = [];
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', '__metadata'] });
  await page.keyboard.press('p');
  for (let i = 0; i < 4 * SECONDS; i += 1) {
    await page.waitForTimeout(250);
    flights.push(await page.evaluate(() => document.querySelectorAll('.picture [data-flight-id]').length));
  }
  await page.keyboard.press('p');
  const trace = JSON.parse((await browser.stopTracing()).toString());
  const steps = (await stepped()) - before;
  if (process.env.TRACE) (await import('node:fs')).writeFileSync(`${process.env.TRACE}${speed}.json`, JSON.stringify(trace));
  await page.close();
  const [fewest, most] = system.flights ?? [0, Infinity];
  if (Math.min(...flights) < fewest || Math.max(...flights) > most) throw new Error(`${system.name}: ${Math.min(...flights)} to ${Math.max(...flights)} messages in flight`);
  if (steps === 0) throw new Error(`${system.name}: it does not play`);
  const work = frames(trace.traceEvents);
  const round = (ms) => Math.round(ms * 10) / 10;
  return {
    name: `${system.name}, ${speed}`,
    steps,
    frames: work.length,
    median_ms: round(work[Math.floor(work.length / 2)] ?? 0),
    longest_ms: round(work.at(-1) ?? 0),
    flights: flights.sort((a, b) => a - b)[Math.floor(flights.length / 2)],
  };
}

/** The work for each frame in milliseconds, sorted. */
function frames(events) {
  // the page's main thread is the one on which our timers fire
  const counts = new Map();
  for (const e of events) if (e.name === 'TimerFire') counts.set(`${e.pid} ${e.tid}`, (counts.get(`${e.pid} ${e.tid}`) ?? 0) + 1);
  const [main] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  const ours = events.filter((e) => `${e.pid} ${e.tid}` === main && e.ph === 'X').sort((a, b) => a.ts - b.ts);
  const work = [];
  let [start, sum, end] = [-Infinity, 0, 0];
  for (const { ts, dur, tdur } of ours.filter((e) => /RunTask$/.test(e.name))) {
    if (ts < end) continue; // a task within another one
    if (ts - start >= FRAME) {
      if (sum >= NOTHING) work.push(sum);
      [start, sum] = [ts, 0];
    }
    end = ts + dur;
    sum += (tdur ?? dur) / 1000;
  }
  if (work.length === 0) throw new Error('The trace has no frames.');
  return work.sort((a, b) => a - b);
}
