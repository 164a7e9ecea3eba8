// The service worker of a marker's phone: it keeps the last pages of the current game, and static
// files, for when there is no network. What is sent then waits in js/outbox.js; web/offline.py tells the
// whole of it. The server puts before this text:
//   version, files             so this worker is another one whenever a static file is
//   noConnection, toTheGame    what is shown of other pages; with a link to the game's address, %s
//   A page with the header X-Keep may be kept; its value changes when the page does.
//   Messages: { pages: [[address, X-Keep, together], …] } fetches ahead what is not kept yet and forgets
//   the pages of other games; { forget: true } forgets every page. `together`, if it is there, is where
//   that page can be had with others: one of each kind, and what differs from hand to hand.
const STATIC = `static-${version}`;
const PAGES = "pages";
const PATIENCE = 3000; // for a page of which there is a copy, in ms

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open(STATIC).then((cache) => cache.addAll(files)));
});

addEventListener("activate", (event) => {
  event.waitUntil(
    caches.keys().then(async (names) => {
      for (const name of names) if (name.startsWith("static-") && name !== STATIC) await caches.delete(name);
      await clients.claim();
    }),
  );
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (/\/static\/[^/]+\//.test(pathname)) event.respondWith(file(request));
  else if (request.mode === "navigate") event.respondWith(page(event));
});

addEventListener("message", (event) => {
  if (event.data.forget) event.waitUntil(caches.delete(PAGES));
  if (event.data.pages) event.waitUntil(fetchAhead(event.data.pages));
});

// A page that was kept before an update names the files of an older version.
async function file(request) {
  const today = request.url.replace(/\/static\/[^/]+\//, `/static/${version}/`);
  const kept = await caches.match(today, { cacheName: STATIC }).catch(() => null);
  if (kept && request.url === today) return kept;
  try {
    return await fetch(request);
  } catch (problem) {
    if (kept) return kept;
    throw problem;
  }
}

const isToKeep = (answer) => answer.ok && !answer.redirected && answer.headers.has("X-Keep");

async function keep(address, answer) {
  const cache = await caches.open(PAGES);
  const headers = new Headers(answer.headers);
  for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
  headers.set("X-Kept-At", new Date().toISOString());
  await cache.put(address, new Response(await answer.blob(), { headers }));
}

// Pages of one kind differ in few lines. The headers of their JSON are theirs, too.
async function keepAll(answer) {
  const { kinds } = await answer.json();
  const headers = new Headers(answer.headers);
  headers.set("Content-Type", "text/html; charset=utf-8");
  for (const { version: mark, lines, pages } of kinds) {
    headers.set("X-Keep", mark);
    for (const [address, changes] of pages) {
      const page = [...lines];
      for (const [at, count, now] of changes.reverse()) page.splice(at, count, ...now);
      await keep(address, new Response(page.join("\n"), { headers }));
    }
  }
}

// Without room for a copy the page opens all the same.
async function fromNetwork(request) {
  const answer = await fetch(request);
  if (answer.status === 403) await caches.delete(PAGES).catch(() => {});
  if (isToKeep(answer)) await keep(request.url, answer.clone()).catch(() => {});
  return answer;
}

async function page(event) {
  const { request } = event;
  const kept = await copyOf(request.url).catch(() => null);
  const asked = fromNetwork(request);
  event.waitUntil(asked.catch(() => {}));
  try {
    const tooLong = new Promise((yes) => setTimeout(yes, PATIENCE));
    const answer = await (kept ? Promise.race([asked, tooLong]) : asked);
    if (answer && !(kept && /50[234]/.test(answer.status))) return answer;
  } catch {
    // no network: the copy, if there is one
  }
  return kept ? dated(kept) : instead(request.url);
}

// A form that is asked for without a player serves for each of them, and with whatever plays; and a
// game that has begun has other copies than before, when its pages named the game that it follows.
async function copyOf(address) {
  const wanted = new URL(address);
  if (wanted.pathname.endsWith("/turned")) wanted.searchParams.delete("hand"); // page.js says which
  const anyones = new URL(wanted);
  for (const name of ["player", "play", "lying", "follows", "leaves"]) anyones.searchParams.delete(name);
  const cache = await caches.open(PAGES);
  return (await cache.match(wanted.href)) ?? cache.match(anyones.href);
}

// Of all other pages there is no copy. The start leads to the game whose pages are kept.
async function instead(address) {
  const cache = await caches.open(PAGES);
  const game = (await cache.keys()).map(({ url }) => url).find((url) => /\/games\/[^/?]+$/.test(url));
  if (game && new URL(address).pathname === new URL("./", location).pathname) return Response.redirect(game);
  return new Response(game ? toTheGame.replace("%s", game) : noConnection, { status: 503, headers: { "Content-Type": "text/html; charset=utf-8" } });
}

// The copy says of when it is: its scripts tell the marker (see page.js).
async function dated(kept) {
  const text = (await kept.text()).replace("<html ", `<html data-as-of="${kept.headers.get("X-Kept-At")}" `);
  return new Response(text, { headers: kept.headers });
}

// The pages of the current game, those that have changed, one after the other: the marker's own
// requests come first. What is listed no more belongs to another game, or to a hand that is over.
async function fetchAhead(pages) {
  const cache = await caches.open(PAGES);
  const wanted = new Map(pages.map(([address, ...rest]) => [new URL(address, location).href, rest]));
  const asked = new Set();
  for (const { url } of await cache.keys()) if (!wanted.has(url)) await cache.delete(url);
  for (const [url, [mark, together]] of wanted) {
    const kept = await cache.match(url);
    if (kept?.headers.get("X-Keep") === mark || asked.has(together)) continue;
    const answer = await fetch(together ?? url, { headers: { "X-Ahead": "1" } });
    if (!answer.ok) return;
    if (together) {
      asked.add(together);
      await keepAll(answer);
    } else if (isToKeep(answer)) await keep(url, answer);
  }
}
