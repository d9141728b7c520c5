// A worker of the page: it computes with the same core as the page shows.
//
// Messages in: {id, job} runs a batch job; {id, cost} guesses what many of them will cost; {id, observe} watches single runs for a study; {id, prove} answers one of its questions;
// {id, check} begins an exploration, {id, worst} one for the worst case, {id, widen} goes on with a larger bound, {id, stop} rests.
// Messages out: {id, answer} once, or for an exploration {id, progress} every now and then and {id, answer} at its end. All contents are JSON texts.

import * as engine from './engine.js';

const ready = engine.default({ module_or_path: './engine_bg.wasm' });
ready.catch((why) => setTimeout(() => { throw why; })); // the page hears of errors, not of rejected promises
const SLICE_MS = 60; // between two looks at the mailbox
let checking = null;
let stopped = false;

onmessage = async ({ data }) => {
  await ready;
  const { id } = data;
  if (data.job !== undefined) {
    postMessage({ id, answer: engine.run_job(data.job) });
  } else if (data.cost !== undefined) {
    postMessage({ id, answer: engine.cost(data.cost) });
  } else if (data.observe !== undefined) {
    const { study, settings } = JSON.parse(data.observe);
    postMessage({ id, answer: engine.observe(study, JSON.stringify(settings)) });
  } else if (data.prove !== undefined) {
    const { study, settings, question } = JSON.parse(data.prove);
    postMessage({ id, answer: engine.prove(study, JSON.stringify(settings), question) });
  } else if (data.check !== undefined || data.worst !== undefined) {
    checking?.free();
    checking = null;
    try {
      checking = data.check !== undefined ? new engine.Checking(data.check) : engine.Checking.worst(data.worst);
    } catch (problems) {
      postMessage({ id, answer: problems });
      return;
    }
    explore(id);
  } else if (data.widen !== undefined) {
    checking?.widen(data.widen);
    explore(id);
  } else {
    stopped = true;
  }
};

async function explore(id) {
  stopped = false;
  let slice = 500;
  while (checking && !stopped) {
    const before = performance.now();
    const answer = checking.advance(slice);
    if (answer !== undefined) {
      postMessage({ id, answer });
      return;
    }
    const took = performance.now() - before;
    if (took < SLICE_MS / 2) slice *= 2;
    else if (took > SLICE_MS * 2) slice = Math.max(100, slice / 2);
    postMessage({ id, progress: checking.progress() });
    await new Promise((go) => setTimeout(go));
  }
}
