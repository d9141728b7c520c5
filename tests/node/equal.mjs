// Asks the native core and its wasm in Node the same questions: the answers must be equal byte by
// byte. Writes the native answers to target/probe-node/native.json for the browser tests.
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

const [ours, theirs] = [JSON.parse(native), JSON.parse(probe.answers())];
const pairs = (all) => [
  ...all.jobs,
  ...all.checked,
  ...all.judged.map(([log, answer]) => [log.slice(0, 200), answer]),
  ['the stage after 300 steps', JSON.stringify(all.stage)],
];
const others = pairs(theirs);
let failed = 0;
const fail = (sentence) => {
  failed += 1;
  console.error(sentence);
};
pairs(ours).forEach(([question, answer], i) => {
  // the document of a log lists the problems of its lines
  const judged = 'sentence' in JSON.parse(answer);
  if (!judged && answer.includes('"problems"')) fail(`${question} was refused: ${answer}`);
  else if (answer !== others[i][1]) fail(`${question} differs:\n  native ${answer}\n  wasm   ${others[i][1]}`);
});
console.log(`${others.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
