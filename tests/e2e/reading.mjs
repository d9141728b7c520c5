// Helpers of the stage's tests: the core's state in the words of the picture, and the picture read
// back.

import { expect } from '@playwright/test';

export const picture = (page) => page.locator('.picture > svg');
export const step = (page) => page.getByRole('button', { name: 'Step', exact: true });
export const back = (page) => page.getByRole('button', { name: 'Back', exact: true });
export const stop = (page, name) => page.locator('.stop', { hasText: name });
export const fingerprint = (page) => page.evaluate(() => window.lockstep.fingerprint());

/** A system of one's own, as a link. */
export const own = (algorithm, nodes, more = '') =>
  `v=1&a=${algorithm}&n=${nodes}&t=2&top=binary-tree&load=rate:0.5&delay=uniform:0.1:0.5&section=const:0.3&seed=1${more}`;

/** Opens what stands after the `#` in a fresh document and waits for the picture. */
export async function open(page, hash, query = '') {
  await page.goto('about:blank');
  await page.goto(`./${query}#${hash}`);
  await expect(page.locator('.picture [data-node]').first()).toBeAttached();
}

/** The core's state in the words of the picture's attributes. */
export const told = (page) =>
  page.evaluate(() => {
    const state = window.lockstep.state();
    const name = (id) => state.nodes[id].name;
    const threads = new Map(state.nodes.flatMap((n) => n.threads).map((t) => [t.id, t]));
    const waiter = (w) => ('user' in w ? threads.get(w.user).name : 'alien' in w ? `A:${name(w.alien)}` : `R:${name(w.remote)}`);
    // a server, register or manager grants entry: there is no token; a crashed node knows nothing
    const grants = state.nodes.some((n) => n.view.badges.some((b) => ['server', 'register', 'manager'].includes(b)));
    const known = (n, list) => (n.crashed ? [] : list);
    return {
      step: String(state.step),
      nodes: state.nodes.map((n) => ({
        name: n.name,
        token: String(n.view.token && !grants && !n.crashed),
        inside: n.threads.filter((t) => t.doing === 'inside').map((t) => t.name).join(' '),
        queue: known(n, n.view.queue).map(waiter).join(' '),
      })),
      // one pointer for all cells of one owner
      links: [
        ...new Set(
          state.nodes.flatMap((n) => known(n, n.view.links).filter((l) => l.to !== n.id).map((l) => `${l.kind} ${n.name} ${name(l.to)}`)),
        ),
      ].sort(),
      flights: state.flights.map((f) => `${f.label} ${name(f.from)} ${name(f.to)}`).sort(),
    };
  });

/** Who waits at each node although no queue names them: they are drawn all the same. */
const unqueued = (page) =>
  page.evaluate(() =>
    window.lockstep.state().nodes.map((n) => {
      const queued = new Set(n.view.queue.filter((w) => 'user' in w).map((w) => w.user));
      return n.threads.filter((t) => t.doing === 'waiting' && !queued.has(t.id)).map((t) => t.name);
    }),
  );

/** The same, read off the picture. */
export const drawn = (page) =>
  picture(page).evaluate((svg) => {
    const all = (selector) => [...svg.querySelectorAll(selector)];
    return {
      step: svg.dataset.step,
      nodes: all('[data-node]').map(({ dataset: d }) => ({ name: d.node, token: d.token, inside: d.inside, queue: d.queue })),
      links: all('[data-link]').map(({ dataset: d }) => `${d.link} ${d.from} ${d.to}`).sort(),
      flights: all('[data-flight]').map(({ dataset: d }) => `${d.flight} ${d.from} ${d.to}`).sort(),
    };
  });

/** The marks in the picture agree with the attributes around them, which scripts read. */
const marks = (page) =>
  picture(page).evaluate((svg) =>
    [...svg.querySelectorAll('[data-node]')].map((card) => ({
      name: card.dataset.node,
      token: String(card.querySelector('.token') !== null),
      inside: [...card.querySelectorAll('[data-inside-thread]')].map((m) => m.dataset.insideThread).join(' '),
      queue: [...card.querySelectorAll('[data-waiter], [data-more]')].map((m) => m.dataset.waiter ?? m.dataset.more).join(' '),
    })),
  );

/** The table for those who do not see the picture. */
const heard = (page) =>
  page.locator('.state-table tbody tr').evaluateAll((rows) =>
    rows.map((row) => {
      const cells = [...row.children].map((c) => c.textContent);
      const some = (text, none) => (text === none ? '' : text.split(', ').join(' '));
      return { name: cells[0].replace(', crashed', ''), token: String(cells[1] === 'yes'), inside: some(cells[2], 'none'), queue: some(cells[4], 'empty') };
    }),
  );

/** Everything that is drawn and heard is what the core says. */
export async function agrees(page) {
  const state = await told(page);
  await expect(picture(page)).toHaveAttribute('data-step', state.step);
  await expect(picture(page)).toHaveAttribute('data-moving', 'false');
  await painted(page);
  expect(await drawn(page)).toEqual(state);
  const extra = await unqueued(page);
  const seen = state.nodes.map((n, i) => ({ ...n, queue: [n.queue, ...extra[i]].filter((q) => q).join(' ') }));
  expect(await marks(page)).toEqual(seen);
  expect(await heard(page)).toEqual(state.nodes);
  return state;
}

/** What Playwright itself says in a page whose service worker it blocks (playwright.config.mjs). */
export const BLOCKED = 'Service Worker registration blocked by Playwright';

/**
 * Makes every test of a file fail when the page throws or writes to the console, or only when it
 * writes errors. Returns what it wrote so far.
 */
export function silence(test, { onlyErrors = false } = {}) {
  const complaints = [];
  test.beforeEach(({ page }) => {
    complaints.length = 0;
    page.on('console', (message) => {
      if (message.text() === BLOCKED) return;
      if (!onlyErrors || message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
  });
  test.afterEach(() => expect(complaints).toEqual([]));
  return complaints;
}

/** What `read` answers twice in a row, a second apart: it has come to rest. */
export async function settled(page, read) {
  let last;
  await expect(async () => {
    last = await read();
    await page.waitForTimeout(1000);
    expect(await read()).toEqual(last);
  }).toPass();
  return last;
}

/** The parts of the page that know nothing of what comes later. */
export const PAST = ['.picture > svg', '.facts', '.say', '#panel-node', '.state-table'];

/**
 * Waits until what is under way is drawn: the page may yield to the browser between the attributes
 * of the picture and its elements.
 */
const painted = (page) =>
  page.evaluate(async () => {
    for (let i = 0; i < 3; i += 1) await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  });

/**
 * Everything that the reader sees at one step, as a list of elements. The order of attributes and
 * an empty class do not matter.
 */
export const seen = async (page, parts = ['.lanes-around svg', '#panel-events', 'ol.stops', ...PAST]) => {
  await painted(page);
  return page.evaluate((parts) => {
    const write = (node) => {
      if (node.nodeType !== Node.ELEMENT_NODE) return node.textContent ? [node.textContent] : [];
      const attributes = [...node.attributes].filter((a) => a.value !== '' || a.name !== 'class').map((a) => `${a.name}="${a.value}"`);
      return [`<${node.localName} ${attributes.sort().join(' ')}>`, ...[...node.childNodes].flatMap(write), `</${node.localName}>`];
    };
    return parts.flatMap((part) => write(document.querySelector(part)));
  }, parts);
};

/** What covers something else or leaves the picture, on the screen itself. */
export function overlaps(page) {
  return page.evaluate(() => {
    const boxes = (selector) =>
      [...document.querySelectorAll(selector)]
        .filter((e) => e.checkVisibility())
        .map((e) => [e.dataset.node ?? e.dataset.flight ?? e.textContent, e.getBoundingClientRect()])
        .filter(([, r]) => r.width > 0);
    const meet = (a, b, slack) => a.left < b.right - slack && b.left < a.right - slack && a.top < b.bottom - slack && b.top < a.bottom - slack;
    const found = [];
    const apart = (some, others, slack) => {
      for (const [a, ra] of some) for (const [b, rb] of others) if (meet(ra, rb, slack)) found.push(`${a} and ${b}`);
    };
    const among = (some, slack) => some.forEach(([a, ra], i) => some.slice(i + 1).forEach(([b, rb]) => meet(ra, rb, slack) && found.push(`${a} and ${b}`)));
    const cards = boxes('.picture [data-node]');
    const flights = boxes('.picture [data-flight]');
    const labels = boxes('.picture .label');
    const around = boxes('.facts div, .legend button, .branch, .arrange');
    among(cards, 0);
    apart(cards, flights, 3);
    apart(cards, labels, 3);
    apart(around, [...cards, ...flights, ...labels], 2);
    among(around, 1);
    among(boxes('.stop-mark'), 1);
    const frame = document.querySelector('.picture').getBoundingClientRect();
    for (const [a, r] of [...cards, ...flights, ...labels]) {
      if (r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 1 || r.bottom > frame.bottom + 1) found.push(`${a} leaves the picture`);
    }
    return found;
  });
}

/** Elements whose text does not fit, except where three dots say so. */
export function clipped(page) {
  return page.evaluate(() => {
    const cut = [];
    for (const element of document.querySelectorAll('.app *')) {
      if (element.closest('svg, .hidden, [hidden]') || !element.checkVisibility()) continue;
      const style = getComputedStyle(element);
      const dots = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none';
      const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY);
      const hides = /hidden|clip/.test(style.overflowX) && element.clientWidth > 1;
      if (!dots && !scrolls && hides && element.scrollWidth > element.clientWidth + 1) cut.push(element.className);
    }
    return cut;
  });
}
