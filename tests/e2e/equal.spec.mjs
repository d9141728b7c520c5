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

/** The table of fields, as the command line prints it; LOCKSTEP names one that is built already. */
function fields() {
  const [program, ...before] = process.env.LOCKSTEP ? [process.env.LOCKSTEP] : ['cargo', 'run', '--quiet', '--bin', 'lockstep', '--'];
  return JSON.parse(execFileSync(program, [...before, 'fields', '--json'], { cwd: root, encoding: 'utf8' }));
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
          worker.onmessage = ({ data }) => data.ready || interim.test(data.answer) || heard(data.answer);
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

test('the stage, the lab and the checker show the rows of the table of fields', async ({ page }) => {
  const table = new Map(fields().map((field) => [field.name, field]));
  const shown = new Map();
  for (const [use, address, form] of [
    ['play', './#s=alien-free-tree', '.own'],
    ['measure', './#lab=own', '.own-lab'],
    ['explore', './#check', '.check-form'],
  ]) {
    await page.goto(address);
    if (use === 'play') await page.getByText('A system of your own').click();
    const rows = page.locator(`${form} [data-field]`);
    await expect(rows.first()).toBeVisible();
    const seen = await rows.evaluateAll((all) =>
      all.map((row) => ({
        name: row.dataset.field,
        title: row.querySelector('label').textContent,
        labelled: row.querySelector('input, select').labels[0]?.textContent,
        help: row.querySelector('small').textContent,
        described: document.getElementById(row.querySelector('input, select').getAttribute('aria-describedby')).textContent,
        about: row.title,
        default: row.querySelector('input')?.placeholder,
      })),
    );
    for (const row of seen.filter((r) => !r.name.startsWith('params.'))) {
      const field = table.get(row.name);
      const help = field.help.replaceAll('`', '');
      expect([row.title, row.labelled, row.help, row.described], `${use}: ${row.name}`).toEqual([field.title, field.title, help, help]);
      if (row.default !== undefined) expect(row.default, `${use}: ${row.name}`).toBe(field.default[use]);
      const bound = field.limits?.[use];
      if (bound) expect(row.about, `${use}: ${row.name}`).toContain(bound.reason);
      shown.set(row.name, [...(shown.get(row.name) ?? []), use]);
    }
  }
  expect(shown.get('nodes')).toEqual(['play', 'measure', 'explore']);
  expect(shown.get('seed')).toEqual(['play', 'measure']);
  expect(shown.get('max_states')).toEqual(['explore']);
});
