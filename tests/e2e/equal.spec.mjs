// The same questions natively and to a worker of this page: the answers must be equal to the byte.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The native core's answers; `tests/node/equal.mjs` leaves them there. */
function native() {
  const kept = `${root}/target/probe-node/native.json`;
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'));
  const run = ['run', '--quiet', '--package', 'lockstep-probe', '--bin', 'answers'];
  return JSON.parse(execFileSync('cargo', run, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }));
}

/** The last answers of a worker to tasks of one kind, in order, as the worker wrote them. */
const ask = (page, kind, contents) =>
  page.evaluate(
    async ({ kind, contents }) => {
      const worker = new Worker('./worker.js', { type: 'module' });
      const interim = /^("fetching"|"working"|\{"progress":)/;
      const answers = [];
      for (const [id, content] of contents.entries()) {
        const answer = new Promise((heard, died) => {
          worker.onmessage = ({ data }) => interim.test(data.answer) || heard(data.answer);
          worker.onerror = died;
        });
        worker.postMessage({ id, task: `{"${kind}":${content}}` });
        answers.push(await answer);
      }
      worker.terminate();
      return answers;
    },
    { kind, contents },
  );

test('what a job of every algorithm measures is the same in Chromium', async ({ page }) => {
  const { jobs } = native();
  await page.goto('./');
  const answers = await ask(page, 'job', jobs.map(([job]) => job));
  jobs.forEach(([job, summary], i) => expect(answers[i], job).toContain(`"summary":${summary}`));
});

test('the checker counts the same states of every algorithm in Chromium', async ({ page }) => {
  const { checked } = native();
  await page.goto('./');
  const answers = await ask(page, 'check', checked.map(([system]) => system));
  checked.forEach(([system, report], i) => expect(answers[i], system).toBe(`{"report":${report}}`));
});

test('an invalid job is refused in sentences', async ({ page }) => {
  await page.goto('./');
  const [refused] = await ask(page, 'job', ['{"algorithm":"nobody","nodes":0}']);
  expect(JSON.parse(refused).problems.length).toBeGreaterThan(1);
});
