// The checker in the page: explorations in a worker, counterexamples on the stage, puzzles.

import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { settled } from './reading.mjs';

const verdict = (page) => page.locator('.outcome .report:not([hidden]) h2');
const field = (page, name) => page.locator(`.check-form [data-field="${name}"]`).locator('input, select');

async function set(page, name, value) {
  const box = field(page, name);
  if ((await box.evaluate((e) => e.tagName)) === 'SELECT') await box.selectOption(value);
  else {
    await box.fill(value);
    await box.blur();
  }
}

test.beforeEach(async ({ page }) => {
  page.on('pageerror', (error) => {
    throw error;
  });
});

test('the address names the system that was checked', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('./#check=central-server-printed/nodes=2/requests=1/topology=full');
  await expect(page.locator('.command code')).toHaveText('lockstep check central-server-printed --nodes 2 --requests 1 --topology full');
  await set(page, 'nodes', '3');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await expect(page.locator('.outcome')).toContainText('mutual exclusion');
  await expect(page).toHaveURL(/#check=central-server-printed\/nodes=3\/requests=1\/topology=full$/);
  await page.getByRole('button', { name: 'Copy link' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
  await page.reload();
  await expect(field(page, 'nodes')).toHaveValue('3');

  await page.goto('./#check=alien/colour=red');
  await expect(page.getByRole('alert').filter({ hasText: 'colour: red is not allowed; expected an option of a check' })).toBeVisible();
});

test('every order of events of alien v2 is tried, with the counts of the command line', async ({ page }) => {
  await page.goto('./#check');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await expect(verdict(page)).toHaveText(/No violation in 1.636 states: all reachable states of this system\./);
});

test('a worker is the same program, and fetches the algorithms of one paper', async ({ page }) => {
  const fetched = [];
  page.on('request', (request) => fetched.push(new URL(request.url()).pathname.replace(/-[0-9a-f]{16}/, '').split('/').pop()));
  await page.goto('./#check');
  await expect(page.getByRole('button', { name: 'Check', exact: true })).toBeVisible();
  fetched.length = 0;
  await page.route(/part_alien_threads-/, (route) => route.abort());
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'could not be downloaded' })).toBeVisible();
  await page.unroute(/part_alien_threads-/);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await expect(verdict(page)).toHaveText(/No violation in 1.636 states/);
  expect(fetched, 'the program of the page').toContain('app_bg.wasm');
  const own = fetched.filter((file) => /^part_/.test(file)).sort();
  expect([...new Set(own)]).toEqual(['part_alien_threads.wasm', 'part_workshop.wasm']);
});

test('a larger system stops at its bound and goes on', async ({ page }) => {
  await page.goto('./#check');
  await set(page, 'nodes', '4');
  await set(page, 'max_states', '2,000');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await expect(verdict(page)).toHaveText(/up to depth \d+: states remain/);
  await page.getByRole('button', { name: /^Continue/ }).click();
  await expect(verdict(page)).toHaveText(/No violation in .* states/);
  await expect(verdict(page)).not.toHaveText(/No violation in 2.0\d\d states/);
});

test('nodes that begin alike are explored once where the reader wants it', async ({ page }) => {
  await page.goto('./#check');
  await set(page, 'nodes', '4');
  await set(page, 'topology', 'star');
  await set(page, 'symmetry', 'on');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await expect(verdict(page)).toHaveText(/No violation in .* states, each for up to 6 symmetric ones: all reachable states/);
  await set(page, 'topology', 'chain');
  await expect(page.locator('.check-form')).toContainText('no two nodes of this system are interchangeable');
});

test('an algorithm as printed loses the token, and the stage plays it', async ({ page }) => {
  await page.goto('./#check=printed');
  await page.getByRole('button', { name: 'Check as printed' }).first().click();
  await expect(verdict(page)).toHaveText(/^“one token” is violated after 12 steps/);
  await page.getByRole('button', { name: 'Play it on the stage' }).click();
  await expect(page.locator('.on-stage')).toBeVisible();
  for (let i = 0; i < 12; i += 1) await page.keyboard.press('ArrowRight');
  await expect(page.locator('.invariants .violated').filter({ hasText: 'one token' })).toBeVisible();
});

test('a starving request loops on the stage', async ({ page }) => {
  await page.goto('./#check');
  await set(page, 'requests', 'unlimited');
  await set(page, 'network', 'unordered');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await expect(verdict(page)).toHaveText(/no request starves/);
  await page.getByRole('button', { name: 'Loop it on the stage' }).click();
  const last = await page.locator('.transport input[type=range]').getAttribute('max');
  await expect(page.locator('.transport input[type=range]')).toHaveValue(last);
  await page.getByRole('button', { name: /^Play/ }).click();
  await expect(page.locator('.transport input[type=range]')).not.toHaveValue(last);
});

test('an invalid system is refused beside the form', async ({ page }) => {
  await page.goto('./#check');
  await set(page, 'nodes', '900');
  await expect(page.locator('.check-form [data-field="nodes"] .broken')).toHaveText('nodes: 900 is not allowed; expected 1 to 64.');
  await expect(page.getByRole('button', { name: 'Check', exact: true })).toBeDisabled();
});

test('a puzzle is solved by picking events and stays solved', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // down the chain: the thread of p3 is the first to enter
  await page.goto('./#check=puzzles');
  await page.locator('.puzzle-card', { hasText: 'Down the chain' }).getByRole('button', { name: 'Play' }).click();
  await expect(page.locator('.rail .puzzle h2')).toHaveText('Down the chain');
  await page.getByRole('tab', { name: /Events/ }).click();
  await page.locator('.pick', { hasText: 'p3.1 asks' }).first().click();
  for (let i = 0; i < 4; i += 1) await page.locator('.pick', { hasText: /^deliver/ }).first().click();
  await expect(page.locator('.rail .won')).toContainText('Solved in 5 steps: par');
  await settled(page, () => page.url()); // the address follows
  await page.reload();
  await expect(page.locator('.rail .won')).toContainText('Solved');
});

for (const tab of ['explore', 'lines', 'printed', 'puzzles']) {
  for (const colorScheme of ['light', 'dark']) {
    test(`axe finds nothing in ${tab}, ${colorScheme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.goto(`./#check=${tab}`);
      await expect(page.locator(`#checks-${tab}`)).toBeVisible();
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`)).toEqual([]);
    });
  }
}
