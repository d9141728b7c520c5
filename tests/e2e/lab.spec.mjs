// The lab: a study runs, pauses, continues, survives a reload and a worker that is stopped, and
// gives the same results as the command line.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { settled, silence } from './reading.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
test.use({ reducedMotion: 'reduce' });

silence(test);

const progress = (page) => page.locator('.lab-progress progress');
const done = async (page) => Number(await progress(page).getAttribute('value'));
const all = async (page) => Number(await progress(page).getAttribute('max'));
const button = (page, name) => page.locator('.lab').getByRole('button', { name, exact: true });

/** Runs the command line; LOCKSTEP names one that is built already. */
function cli(...words) {
  const [program, ...before] = process.env.LOCKSTEP ? [process.env.LOCKSTEP] : ['cargo', 'run', '--quiet', '--bin', 'lockstep', '--'];
  execFileSync(program, [...before, ...words], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], timeout: 500_000 });
}

/** Workers of a slower machine: each task takes longer, so that there is time to look at it. */
const slowly = (page) =>
  page.route('**/worker.js', async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    const slower = text.replace('line.then(', 'line.then(() => new Promise((go) => setTimeout(go, 150))).then(');
    expect(slower).not.toBe(text);
    await route.fulfill({ response, body: slower });
  });

/** The whole study is there, claims included. */
async function complete(page) {
  await expect(button(page, 'Pause')).toBeHidden({ timeout: 200_000 });
  await expect(button(page, 'Continue')).toBeHidden();
  expect(await done(page)).toBe(await all(page));
}

test('the reduced Figure 3: progress, pause, resume, cancel, reload, axis, hover, export', async ({ page }) => {
  test.setTimeout(580_000); // the command line may have to be built
  await slowly(page);
  await page.goto('./#lab=alien');
  await expect(page.locator('.lab')).toContainText('Nothing has been run yet');
  await button(page, 'Run').click();
  await expect.poll(() => done(page), { timeout: 60_000 }).toBeGreaterThan(0);
  await expect(page.locator('.lab-progress')).toContainText(/about \d+ s left/);

  await button(page, 'Pause').click();
  const paused = await settled(page, () => done(page)); // what was begun is finished first
  expect(paused, 'nothing is done while it pauses').toBeLessThan(await all(page));

  await button(page, 'Resume').click();
  await expect.poll(() => done(page), { timeout: 60_000 }).toBeGreaterThan(paused);
  await button(page, 'Cancel').click();
  const kept = await settled(page, () => done(page));
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(await all(page));

  await page.reload();
  await expect.poll(() => done(page)).toBe(kept);
  // points of two figures may share a run
  await expect(page.locator('.shelves-kept')).toContainText(/alien, quick\s*[1-9]\d* points/);

  // the time between two frames while it runs, from the browser itself; printed only, because a
  // busy machine changes it
  await button(page, 'Continue').click();
  const frames = page.evaluate(
    () =>
      new Promise((tell) => {
        const gaps = [];
        let last = performance.now();
        const until = last + 4000;
        const frame = (now) => {
          gaps.push(now - last);
          last = now;
          if (now < until) requestAnimationFrame(frame);
          else tell(gaps.slice(1).sort((a, b) => a - b));
        };
        requestAnimationFrame(frame);
      }),
  );
  const gaps = await frames;
  const at = (part) => gaps[Math.floor(part * (gaps.length - 1))].toFixed(1);
  console.log(`frames while a study runs: ${gaps.length} in 4 s; median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`);
  await complete(page);

  const chart = page.locator('.chart-figure').first();
  const log = chart.getByRole('button', { name: 'log x' });
  const before = await log.getAttribute('aria-pressed');
  await log.click();
  await expect(log).toHaveAttribute('aria-pressed', before === 'true' ? 'false' : 'true');
  await chart.locator('.chart-around').hover({ position: { x: 300, y: 150 } });
  await expect(chart.locator('.chart-tip')).toBeVisible();
  await expect(chart.locator('.chart-tip li').first()).toContainText(/\d/);

  const out = mkdtempSync(join(tmpdir(), 'lockstep-study-'));
  cli('study', 'alien', '--quick', '--out', out);
  const id = await chart.getAttribute('data-chart');
  const [download] = await Promise.all([page.waitForEvent('download'), chart.getByRole('button', { name: 'CSV' }).click()]);
  expect(readFileSync(await download.path(), 'utf8')).toBe(readFileSync(join(out, `${id}.csv`), 'utf8'));

  // verdicts too, those of the explored systems included
  const native = JSON.parse(readFileSync(join(out, 'study.json'), 'utf8')).claims.map((c) => [c.id, c.verdict]);
  const words = { agrees: 'agrees', differs: 'differs', 'holds-only': 'holds-only', undecided: 'undecided' };
  const ours = await page.locator('.claims tbody tr').evaluateAll((rows) => rows.map((r) => [r.querySelector('th').textContent, [...r.querySelector('.verdict').classList].at(-1)]));
  expect(ours).toEqual(native.map(([claim, verdict]) => [claim, words[verdict]]));

  await chart.locator('.chart-around').click({ position: { x: 300, y: 150 } });
  await expect(page.locator('.picture [data-node]').first()).toBeVisible();
});

test('a worker is killed in the middle and the study still completes', async ({ page }) => {
  test.setTimeout(280_000);
  await slowly(page);
  await page.goto('./#lab=wait-free');
  await button(page, 'Run').click();
  await expect.poll(() => page.workers().length).toBeGreaterThan(0);
  await expect.poll(() => done(page), { timeout: 60_000 }).toBeGreaterThan(0);
  await page.workers()[0].evaluate(() => close()).catch(() => {});
  await complete(page);
});

test('what workers compute with may take its time to arrive', async ({ page }) => {
  test.setTimeout(280_000);
  let asked = 0;
  let arrive;
  const slow = new Promise((go) => (arrive = go));
  await page.route(/part_wait_free-/, async (route) => {
    asked += 1;
    await slow;
    await route.continue();
  });
  await page.clock.install();
  await page.goto('./#lab=wait-free');
  await expect.poll(() => asked, 'the cost is guessed').toBe(1);
  await button(page, 'Run').click();
  await expect.poll(() => asked).toBeGreaterThan(1);
  const workers = await settled(page, () => asked);
  await page.clock.runFor(60_000);
  expect(await settled(page, () => asked), 'no worker is given up and replaced').toBe(workers);
  expect(await done(page)).toBe(0);
  arrive();
  await complete(page);
});

test('an experiment of one’s own: refused beside the field, run, linked, kept', async ({ page }) => {
  test.setTimeout(120_000);
  await page.goto('./#lab=own');
  const field = (name) => page.locator('.own-lab .field-row', { has: page.locator('label', { hasText: new RegExp(`^${name}$`) }) });
  await field('Nodes').locator('input').fill('0');
  await field('Nodes').locator('input').press('Tab');
  await expect(field('Nodes').locator('.broken')).toHaveText('nodes: 0 is not allowed; expected 1 to 1,000,000.');
  await expect(button(page, 'Run')).toBeDisabled();
  await field('Nodes').locator('input').fill('7');
  await field('Nodes').locator('input').press('Tab');
  await expect(field('Nodes').locator('.broken')).toBeHidden();
  await field('Its values').locator('input').fill('0.1 1 10');
  await field('Its values').locator('input').press('Tab');
  await field('Entries').locator('input').fill('300');
  await field('Entries').locator('input').press('Tab');
  await expect(page.locator('.lab .empty')).toContainText('9 points');
  await page.getByText('The document behind the form').click();
  await expect(page.getByLabel('Experiment as TOML')).toHaveValue(/entries = 300/);
  await button(page, 'Run').click();
  await complete(page);
  await expect(page.locator('.chart-figure')).toHaveCount(2);
  await expect(page.locator('.chart-figure').first().locator('.series-switch')).toHaveText(['alien v2', 'naimi-trehel', 'raymond']);
  const link = page.url();
  await page.getByRole('link', { name: 'Figures', exact: true }).click();
  await page.goto(link);
  await page.reload();
  await expect.poll(() => done(page)).toBe(9);

  // the document is the other way in
  await page.getByText('The document behind the form').click();
  const area = page.getByLabel('Experiment as TOML');
  await area.fill((await area.inputValue()).replace('[0.1, 1, 10]', '[0.5, 5]'));
  await area.press('Tab');
  await expect(field('Its values').locator('input')).toHaveValue('0.5 5');
  await area.fill((await area.inputValue()).replace('entries = 300', 'entries = 0'));
  await area.press('Tab');
  await expect(page.locator('.own-problems li').first()).toContainText(/entries/);
});

test('a topology can be chosen or typed, and fields of other algorithms are hidden', async ({ page }) => {
  await page.goto('./#lab=own');
  const row = (name) => page.locator(`.own-lab [data-field="${name}"]`);
  await expect(row('cells')).toHaveCount(0);
  const topology = row('topology').locator('input');
  expect(await row('topology').locator('datalist option').evaluateAll((all) => all.map((o) => o.value))).toContain('star');
  await row('nodes').locator('input').fill('');
  await row('nodes').locator('input').press('Tab');
  // the form is drawn again after each field; what is typed meanwhile would be replaced
  await expect(async () => {
    await topology.fill('clusters:3x3');
    await topology.press('Tab');
    await page.waitForTimeout(300);
    await expect(topology).toHaveValue('clusters:3x3', { timeout: 100 });
  }).toPass();
  await expect(row('topology').locator('.broken')).toBeHidden();
  await page.getByText('The document behind the form').click();
  await expect(page.getByLabel('Experiment as TOML')).toHaveValue(/topology = "clusters:3x3"/);
  await page.locator('.own-chips').getByRole('button', { name: 'swq', exact: true }).click();
  await expect(row('cells')).toBeVisible();
  await row('cells').locator('input').fill('16');
  await row('cells').locator('input').press('Tab');
  await expect(row('cells').locator('.broken')).toContainText('locks no ranges');
  await expect(button(page, 'Run')).toBeDisabled();
});

test('absurd experiments are refused in a sentence', async ({ page }) => {
  await page.goto('./#lab=own');
  await page.getByText('The document behind the form').click();
  const area = page.getByLabel('Experiment as TOML');
  for (const [text, why] of [
    ['[base]\nalgorithm = "raymond"\nrate = 0\n', /rate/],
    ['[base]\nalgorithm = "raymond"\ntopology = "clusters:9x1"\nnodes = 3\n', /node/],
    [`[base]\nalgorithm = "raymond"\n[[vary]]\nname = "seed"\nvalues = [${Array.from({ length: 3000 }, (_, i) => i).join(',')}]\n[[vary]]\nname = "warmup"\nvalues = [${Array.from({ length: 3000 }, (_, i) => i).join(',')}]\n`, /9000000 points/],
  ]) {
    await area.fill(text);
    await area.press('Tab');
    await expect(page.locator('.own-problems li').first()).toContainText(why);
    await expect(button(page, 'Run')).toBeDisabled();
  }
});

test('an address opens a study', async ({ page }) => {
  await page.goto('./#lab=hierarchical');
  await expect(page.locator('.study[aria-current]')).toHaveCount(1);
  await expect(page.locator('.lab-head').first()).toContainText(/[Cc]luster|[Hh]ierarch/);
});

for (const [name, colorScheme, viewport] of [
  ['light', 'light', { width: 1366, height: 768 }],
  ['dark', 'dark', { width: 1366, height: 768 }],
  ['phone', 'light', { width: 390, height: 844 }],
]) {
  test.describe(name, () => {
    test.use({ colorScheme, viewport });
    for (const what of ['wait-free', 'own']) {
      test(`${what} is clean`, async ({ page }) => {
        test.setTimeout(120_000);
        await page.goto(`./#lab=${what}`);
        await button(page, 'Run').click();
        await expect(page.locator('.chart-figure').first()).toBeVisible({ timeout: 60_000 });
        await page.screenshot({ path: `../../target/screenshots/lab-${what}-${name}.png`, fullPage: true });
        await button(page, 'Cancel').click({ timeout: 2_000 }).catch(() => {});
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        expect(wide, 'no horizontal scrolling').toBeLessThanOrEqual(0);
        const { violations } = await new AxeBuilder({ page }).include('.lab').analyze();
        expect(violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
      });
    }
  });
}
