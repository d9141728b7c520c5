// A worker of the page: the page's own program, which computes here (web/src/worker/mod.rs).
//
// Messages in: {id, task}. Messages out: {id, answer}, several for one task: fetching, working and
// progress come before the answer that ends it. Task and answer are JSON (crates/lab/src/task.rs).

import init, { work } from './app.js';

let line = init({ module_or_path: './app_bg.wasm' });
// the page hears of errors, not of rejected promises
const watch = () => line.catch((why) => setTimeout(() => { throw why; }));
watch();

onmessage = ({ data: { id, task } }) => {
  line = line.then(() => work(id, task));
  watch();
};
