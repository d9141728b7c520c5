// The page in Chromium, Firefox and WebKit: all places work, and runs, checks and a study give the
// same results. `node browsers.mjs` uses the browsers whose programs CHROMIUM, FIREFOX and WEBKIT
// name (WEBKIT is the driver, MINIBROWSER the browser); `cargo xtask test` sets them.

import { inChromium } from './chromium.mjs';
import { firefox, webkit } from './webdriver.mjs';

/** Runs in the page: what there is to see and to compute at one address. */
async function look(kind) {
  const until = async (what, test) => {
    for (let i = 0; i < 2400; i += 1) {
      const found = test();
      if (found) return found;
      await new Promise((go) => setTimeout(go, 100));
    }
    throw new Error(`${what} does not come; the page says: ${document.body.textContent.slice(0, 300)}`);
  };
  const all = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length > 0);
  const button = (name, within = 'body') => until(`the button ${name}`, () => all(`${within} button`).find((b) => (b.getAttribute('aria-label') || b.textContent).trim() === name));
  const click = async (name, within) => (await button(name, within)).click();
  const fingerprints = async (steps) => {
    const seen = [await until('the core', () => window.lockstep?.fingerprint())];
    const shown = () => Number(document.querySelector('.picture > svg')?.dataset.step);
    for (let i = 0; i < steps; i += 1) {
      const before = shown();
      await click('Step');
      await until('a step', () => shown() === before + 1);
      seen.push(window.lockstep.fingerprint());
    }
    return seen;
  };
  const kinds = {
    stage: async () => {
      await until('a picture', () => all('.picture [data-node]').length > 0);
      return { heading: all('h1, h2')[0].textContent, nodes: all('.picture [data-node]').length, seen: await fingerprints(6) };
    },
    figures: async () => ({ figures: (await until('figures', () => all('.figure-card').length)) }),
    compare: async () => (await until('two pictures', () => all('.compare svg').length >= 2), { pictures: all('.compare svg').length }),
    check: async () => {
      await click('Check', '.check');
      return { verdict: await until('a verdict', () => /(No violation in [\d,.\u202f ]+states)/.exec(document.querySelector('.outcome')?.textContent)?.[1]) };
    },
    judge: async () => ({ verdict: (await until('a verdict', () => all('.judge-sentence')[0])).textContent }),
    write: async () => ({ editor: (await until('an editor', () => all('textarea')[0])).value.length > 0 }),
    study: async () => {
      const progress = await until('the study', () => all('.lab-progress progress')[0]);
      if (progress.value === 0) await click('Run', '.lab');
      await until('all points', () => progress.value === progress.max && all('.lab button').every((b) => !/^(Pause|Cancel|Continue)$/.test(b.textContent)));
      await until('the claims', () => all('.claims .verdict').every((v) => !/so far/.test(v.textContent)));
      const verdicts = all('.claims tbody tr').map((row) => [...row.cells].map((cell) => cell.textContent));
      return { points: progress.value, verdicts, unsaved: all('.unsaved').length };
    },
    stored: async () => ({ points: await until('stored points', () => all('.lab-progress progress')[0]?.value) }),
  };
  const result = await kinds[kind]();
  if (document.querySelector('#boot, .stopped')) throw new Error(document.querySelector('#boot, .stopped').textContent);
  return result;
}

const VISITS = [
  ['stage', ''],
  ['stage', 's=raymond-tree'],
  ['stage', 'v=1&a=lamport&n=31&t=1&load=rate:0.02&delay=uniform:0.2:3&section=const:0.01&seed=1&c=0*40'],
  ['stage', 'v=1&a=swq&guard=prose&n=4&t=2&top=binary-tree&cells=8&net=fifo&load=rate:0.5&section=const:0.3&delay=uniform:0.1:0.5&range=0.4&seed=1&c=42.71*3.70.1w.6n.61.4h.63*3.62*3.61.71.72.6n.62.63.62.61.6n.n.52.62.s.52.62*3.1n.52.62.61.71*3.70&at=40'],
  ['figures', 'figures'],
  ['compare', 'compare'],
  ['check', 'check'],
  ['write', 'write'],
  ['judge', 'judge=replies-too-early'],
  ['judge', 'judge=violated'],
  ['study', 'lab=wait-free'],
];

/** Everything that a browser shows, by address. */
async function tour(page, address) {
  const seen = {};
  for (const [kind, hash] of VISITS) {
    await page.goto('about:blank');
    await page.goto(`${address}#${hash}`);
    seen[hash || 'the page'] = await page.evaluate(look, kind);
  }
  await page.goto('about:blank');
  await page.goto(`${address}#lab=wait-free`);
  seen['lab=wait-free, opened again'] = await page.evaluate(look, 'stored');
  return seen;
}

const { FIREFOX, WEBKIT, MINIBROWSER } = process.env;
const others = [
  ['Firefox', FIREFOX, () => firefox(FIREFOX)],
  ['WebKit', WEBKIT, () => webkit(WEBKIT, MINIBROWSER)],
].filter(([, program]) => program);

let failed = 0;
await inChromium(async (chromium, address) => {
  const page = await chromium.newPage({ viewport: { width: 1366, height: 900 } });
  const expected = await tour(page, address);
  await page.close();
  console.log(`Chromium: ${Object.keys(expected).length} addresses work.`);
  for (const [name, , start] of others) {
    let browser;
    try {
      browser = await start();
      const seen = await tour(browser, address);
      let differing = 0;
      for (const [at, value] of Object.entries(expected)) {
        const [here, there] = [value, seen[at]].map((v) => JSON.stringify(v));
        if (here === there) continue;
        differing += 1;
        console.log(`${name} differs from Chromium at ${at}:\n  ${here.slice(0, 600)}\n  ${there.slice(0, 600)}`);
      }
      const verdict = differing ? `; at ${differing} the results differ from Chromium's.` : ', with the results of Chromium.';
      console.log(`${name}: ${Object.keys(seen).length} addresses work${verdict}`);
      failed += differing;
    } catch (error) {
      failed += 1;
      console.log(`${name}: ${error.message}`);
    } finally {
      await browser?.close();
    }
  }
});
if (failed > 0) process.exit(1);
