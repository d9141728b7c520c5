// A worker of the page: the page's own program, which computes here (web/src/worker/mod.rs).
//
// Messages in: {id, task, files}; files is a list of [name, file], or missing. Messages out:
// {ready} once the program has arrived, or {unavailable} if it does not; then {id, answer}, several
// for one task: fetching, working and progress come before the answer that ends it. Task and answer
// are JSON (crates/lab/src/task.rs).

const program = import('./app.js').then(async ({ default: init, work }) => {
  await init({ module_or_path: './app_bg.wasm' });
  return work;
});
program.then(
  () => postMessage({ ready: true }),
  (why) => postMessage({ unavailable: String(why) }),
);

let line = program;
onmessage = ({ data: { id, task, files } }) => {
  line = line.then(() => program).then((work) => work(id, task, files));
  // the page hears of errors, not of rejected promises; of a missing program it has heard already
  line.catch((why) => program.then(() => setTimeout(() => { throw why; }), () => {}));
};
