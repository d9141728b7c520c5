// The benchmarks in node's wasm: prints {"kernel_ns": …} for 31 nodes and 100,000 entries, the median of nine runs; with --explore
// {"explore_ns": …} for every order of events of a small system, the median of five.
import probe from '../../target/probe-node/lockstep_probe.js';

function median(count, work) {
  const times = [];
  for (let i = 0; i < count; i += 1) {
    const start = process.hrtime.bigint();
    work(i);
    times.push(Number(process.hrtime.bigint() - start));
  }
  return times.sort((a, b) => a - b)[count >> 1];
}

if (process.argv.includes('--explore')) {
  probe.bench_explore(1);
  console.log(JSON.stringify({ explore_ns: median(5, () => probe.bench_explore(2)) }));
  process.exit();
}

probe.bench_kernel(31, 100_000, 0); // compiled by the optimising tier before it is measured
console.log(JSON.stringify({ kernel_ns: median(9, (seed) => probe.bench_kernel(31, 100_000, seed)) }));
