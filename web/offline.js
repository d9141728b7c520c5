// The service worker: caches the whole page, so that it works without a network, and all files of
// one build together, so that an open page keeps its own files while another build is published.
// `cargo xtask build` writes the names of the files into this script, and starts it in the page.

const BUILD = '';
const FILES = [];

const OURS = `lockstep ${registration.scope} `; // other pages of this host use other names
const KEPT = OURS + BUILD;

/**
 * Loads the page again; the newer service worker then answers. A header could do this too, but not
 * for an address with a `#`.
 */
const AGAIN = '<!doctype html><link rel="icon" href="data:,"><script>location.reload()</script>';

const PATIENCE = 10_000; // milliseconds until the old build answers anyway
let since = 0;

oninstall = (event) => event.waitUntil(keep());
onactivate = (event) => event.waitUntil(takeOver());
onmessage = ({ data }) => data === 'take over' && skipWaiting();
onfetch = (event) => {
  if (event.request.method === 'GET') event.respondWith(answer(event.request));
};

/** Caches all files, or none. */
async function keep() {
  const kept = await caches.open(KEPT);
  await kept.addAll(FILES.map((file) => new Request(file, { cache: 'reload' })));
}

async function takeOver() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(OURS) && name !== KEPT).map((name) => caches.delete(name)));
  await clients.claim();
}

async function answer(request) {
  const alone = request.mode === 'navigate' && registration.waiting && (await clients.matchAll()).length < 2;
  if (alone && Date.now() - (since ||= Date.now()) < PATIENCE) {
    registration.waiting.postMessage('take over'); // no other tab has the old page open
    return new Response(AGAIN, { headers: { 'content-type': 'text/html' } });
  }
  const kept = await caches.open(KEPT);
  return (await kept.match(request, { ignoreSearch: true })) ?? fetch(request);
}
