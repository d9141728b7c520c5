// How fast the page's worker reads and judges a log of 100,000 events in real Chromium, from the
// file to the answer with the verdict and the diagram.
//
// `node judging.mjs` after `cargo xtask build`. Prints {"worker_seconds":…,"entries":…}: the median
// of the times of a worker that has judged the log once before.

import { inChromium } from './chromium.mjs';
import { ring } from './ring.mjs';

const TURNS = 20_000;

const answer = await inChromium(async (browser, address) => {
  const page = await browser.newPage();
  await page.goto(address);
  await page.waitForFunction(() => window.lockstep);
  return page.evaluate(judge, ring(TURNS));
});
if (answer.entries !== TURNS) throw new Error(`The worker found ${answer.entries} entries; expected ${TURNS}.`);
console.log(JSON.stringify(answer));

/** In the page: the same log several times to one worker, as the place Judge gives it. */
async function judge(text) {
  const ROUNDS = 5;
  const worker = new Worker('./worker.js', { type: 'module' });
  const task = JSON.stringify({ judge: JSON.stringify({ read: { pasted: [], options: {} } }) });
  const ask = (id) =>
    new Promise((tell, fail) => {
      worker.onmessage = ({ data }) => data.answer && (/^"(fetching|working)"/.test(data.answer) || tell(data.answer));
      worker.onerror = () => fail(new Error('The worker died.'));
      worker.postMessage({ id, task, files: [['ring.jsonl', new File([text], 'ring.jsonl')]] });
    });
  const said = JSON.parse(JSON.parse(await ask(0)).judged ?? '{}');
  if (!said.log) throw new Error(`The worker answered ${JSON.stringify(said).slice(0, 200)}`);
  const [view, sketch] = said.log;
  if (view.verdict !== 'excluded') throw new Error(`The verdict is ${view.verdict}; expected excluded.`);
  const times = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const start = performance.now();
    await ask(round);
    times.push((performance.now() - start) / 1000);
  }
  worker.terminate();
  return { worker_seconds: times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)], entries: sketch.sections.length };
}
