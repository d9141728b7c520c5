// Keeps the whole page for when there is no network, and the files of one build together: a page that is open while another one is published goes on with
// its own. `cargo xtask build` writes the names of the files into it, and into the page what starts it.

const BUILD = '';
const FILES = [];

const OURS = `lockstep ${registration.scope} `; // other pages of this host keep theirs under other names
const KEPT = OURS + BUILD;

/** Asks once more, and whoever has taken over answers. A header could do it, but not for an address with a `#`. */
const AGAIN = '<!doctype html><link rel="icon" href="data:,"><script>location.reload()</script>';

const PATIENCE = 10_000; // milliseconds after which the old build answers all the same
let since = 0;

oninstall = (event) => event.waitUntil(keep());
onactivate = (event) => event.waitUntil(takeOver());
onmessage = ({ data }) => data === 'take over' && skipWaiting();
onfetch = (event) => {
  if (event.request.method === 'GET') event.respondWith(answer(event.request));
};

/** All of them or none. */
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
    registration.waiting.postMessage('take over'); // nobody else has the old page open
    return new Response(AGAIN, { headers: { 'content-type': 'text/html' } });
  }
  const kept = await caches.open(KEPT);
  return (await kept.match(request, { ignoreSearch: true })) ?? fetch(request);
}
