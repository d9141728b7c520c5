// The benchmarks in Node's wasm. Prints {"kernel_ns": …} for 31 nodes and 100,000 entries, the
// median of nine runs; with --explore {"explore_ns": …} for every order of events of a small
// system, the median of five; with --study JOBS.json, an array of jobs as strings, {"kernel_ns": …,
// "kernel_events": …} for all of them together.
import { readFileSync } from 'node:fs';
import probe from '../../target/probe-node/lockstep_probe.js';

function time(work) {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start);
}

function median(count, work) {
  const times = Array.from({ length: count }, (_, i) => time(() => work(i)));
  return times.sort((a, b) => a - b)[count >> 1];
}

/** Everything is compiled by the optimising tier before it is measured. */
function answer([what, file]) {
  switch (what) {
    case undefined:
      probe.bench_kernel(31, 100_000, 0);
      return { kernel_ns: median(9, (seed) => probe.bench_kernel(31, 100_000, seed)) };
    case '--explore':
      probe.bench_explore(1);
      return { explore_ns: median(5, () => probe.bench_explore(2)) };
    case '--study': {
      const jobs = JSON.parse(readFileSync(file, 'utf8'));
      const all = () => jobs.reduce((sum, job) => sum + probe.events(job), 0);
      const kernel_events = all();
      return { kernel_ns: time(all), kernel_events };
    }
    default:
      throw new Error(`bench.mjs knows --explore and --study JOBS.json, not ${what}`);
  }
}

console.log(JSON.stringify(answer(process.argv.slice(2))));
