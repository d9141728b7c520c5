// How fast the page's workers are in real Chromium: a list of jobs, first by one worker, then by
// two that share it.
//
// `node study.mjs JOBS.json` after `cargo xtask build`, where JOBS.json is an array of jobs as
// strings. Prints {"one":{"kernel_ns":…,"kernel_events":…},"two":…}: times of workers that have
// done the list once before. With --cold they have not, and starting them counts too, as it does
// for a reader.

import { readFileSync } from 'node:fs';
import { inChromium } from './chromium.mjs';

const [file] = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const jobs = JSON.parse(readFileSync(file, 'utf8'));
const cold = process.argv.includes('--cold');

const answer = await inChromium(async (browser, address) => {
  const page = await browser.newPage();
  await page.goto(address);
  await page.waitForFunction(() => window.lockstep);
  const one = await page.evaluate(study, { jobs, cold, workers: 1 });
  const two = await page.evaluate(study, { jobs, cold, workers: 2 });
  return { one, two };
});
console.log(JSON.stringify(answer));

/** In the page: the jobs in their order, each to the worker that is free. */
async function study({ jobs, cold, workers }) {
  const start = performance.now();
  const pool = Array.from({ length: workers }, () => new Worker('./worker.js', { type: 'module' }));
  const ask = (worker, id) =>
    new Promise((tell, fail) => {
      worker.onmessage = ({ data }) => /^"(fetching|working)"/.test(data.answer) || tell(JSON.parse(data.answer));
      worker.onerror = () => fail(new Error('A worker died.'));
      worker.postMessage({ id, task: `{"job":${jobs[id]}}` });
    });
  const all = async () => {
    let [next, events] = [0, 0];
    const work = async (worker) => {
      while (next < jobs.length) {
        const { problems, record } = await ask(worker, next++);
        if (problems) throw new Error(problems.join(' '));
        events += record.summary.events;
      }
    };
    await Promise.all(pool.map(work));
    return events;
  };
  if (!cold) await all();
  const begun = cold ? start : performance.now();
  const events = await all();
  const kernel_ns = (performance.now() - begun) * 1e6;
  pool.forEach((worker) => worker.terminate());
  return { kernel_ns, kernel_events: events };
}
