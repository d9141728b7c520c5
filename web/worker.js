// A worker of the page: the page's own program, which computes here (web/src/worker/mod.rs).
//
// Messages in: {id, what, contents}. Messages out: {id, fetching} while something has to come first, {id, answer} once, or for an exploration {id, progress}
// every now and then and {id, answer} at its end.

import init, { work } from './app.js';

let line = init({ module_or_path: './app_bg.wasm' });
const watch = () => line.catch((why) => setTimeout(() => { throw why; })); // the page hears of errors, not of rejected promises
watch();

onmessage = ({ data: { id, what, contents } }) => {
  line = line.then(() => work(id, what, contents));
  watch();
};
