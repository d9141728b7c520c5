// The same jobs natively and in this browser: the answers must be equal to the byte.
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

test('Chromium and the native core give the same bytes', async ({ page }) => {
  test.setTimeout(180_000);
  const { asked } = native();
  await page.goto('/');
  await page.waitForFunction(() => window.lockstep);
  for (const [job, answer] of asked) {
    const ours = await page.evaluate((j) => window.lockstep.run(j), job);
    expect(ours, job).toBe(answer);
  }
});

test('a job that makes no sense is refused in sentences', async ({ page }) => {
  await page.goto('/');
  await page.waitForFunction(() => window.lockstep);
  const refused = await page.evaluate(() => window.lockstep.run('{"algorithm":"nobody","nodes":0}'));
  expect(JSON.parse(refused).problems.length).toBeGreaterThan(1);
});
