// The same questions to the native core and to its wasm in node: the answers must be equal to the byte.
// The native answers are left in target/probe-node/native.json for the browser tests.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import probe from '../../target/probe-node/lockstep_probe.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const native = execFileSync('cargo', ['run', '--quiet', '--package', 'lockstep-probe', '--bin', 'answers'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 1 << 28,
  stdio: ['ignore', 'pipe', 'inherit'],
}).trim();
writeFileSync(`${root}/target/probe-node/native.json`, native);

const wasm = probe.answers();
const [ours, theirs] = [JSON.parse(native), JSON.parse(wasm)];
let failed = 0;
ours.asked.forEach(([job, answer], i) => {
  if (answer.includes('"problems"')) {
    failed += 1;
    console.error(`the job ${job} was refused: ${answer}`);
  } else if (answer !== theirs.asked[i][1]) {
    failed += 1;
    console.error(`the job ${job} differs:\n  native ${answer}\n  wasm   ${theirs.asked[i][1]}`);
  }
});
if (native !== wasm && failed === 0) {
  failed += 1;
  console.error(`states or stage differ: native ${JSON.stringify([ours.states, ours.stage])}, wasm ${JSON.stringify([theirs.states, theirs.stage])}`);
}
console.log(`${ours.asked.length + 2 - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
