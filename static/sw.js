// The service worker of a marker's phone: it keeps the pages of the current game, and static files, for
// when there is no network. Forms that are sent then wait in js/outbox.js; web/offline.py explains how
// this works together. The server puts these constants before this text:
//   version, files             of the static files: a changed file makes a new service worker
//   noConnection, toTheGame    pages in place of those that are not kept; toTheGame has a link, to %s
//   A page with the header X-Keep may be kept; the header's value changes when the page does.
//   Messages: { pages: [[address, X-Keep, together], …] } fetches the pages that are not kept yet and
//   deletes those of other games; { forget: true } deletes every page. `together`, if given, is the
//   address of a JSON with several pages: one of each kind, and what differs from hand to hand.
const STATIC = `static-${version}`;
const PAGES = "pages";
const PATIENCE = 3000; // how many ms to wait for a page of which there is a copy

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
  if (event.data.pages) event.waitUntil(precache(event.data.pages));
});

// A static file. A page that was kept before an update names files of an older version.
async function file(request) {
  const current = request.url.replace(/\/static\/[^/]+\//, `/static/${version}/`);
  const kept = await caches.match(current, { cacheName: STATIC }).catch(() => null);
  if (kept && request.url === current) return kept;
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

// Keeps the pages of a JSON. Pages of one kind differ in few lines; all have the headers of the JSON.
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

// Fetches a page and keeps it. If there is no room for a copy, the page opens nevertheless.
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
    const tooLong = new Promise((resolve) => setTimeout(resolve, PATIENCE));
    const answer = await (kept ? Promise.race([asked, tooLong]) : asked);
    if (answer && !(kept && /50[234]/.test(answer.status))) return answer;
  } catch {
    // no network: the copy, if there is one
  }
  return kept ? dated(kept) : instead(request.url);
}

// The copy for an address, or undefined. A form that is kept without a player, plays and cards serves for
// any of them. Before a rematch has begun, addresses name the game `before`, and afterwards not.
async function copyOf(address) {
  const exact = new URL(address);
  if (exact.pathname.endsWith("/turned")) exact.searchParams.delete("hand"); // page.js fills it in
  const general = new URL(exact);
  for (const name of [...general.searchParams.keys()]) {
    if (/^(q|player|play|lying|last_taker|before|leaves|of|out|(cards|melds)-\d+)$/.test(name)) general.searchParams.delete(name);
  }
  const cache = await caches.open(PAGES);
  return (await cache.match(exact.href)) ?? cache.match(general.href);
}

// The answer for a page that is not kept. The start page leads to the game whose pages are kept.
async function instead(address) {
  const cache = await caches.open(PAGES);
  const game = (await cache.keys()).map(({ url }) => url).find((url) => /\/games\/[^/?]+$/.test(url));
  if (game && new URL(address).pathname === new URL("./", location).pathname) return Response.redirect(game);
  return new Response(game ? toTheGame.replace("%s", game) : noConnection, { status: 503, headers: { "Content-Type": "text/html; charset=utf-8" } });
}

// The copy with the time at which it was fetched, which page.js shows.
async function dated(kept) {
  const text = (await kept.text()).replace("<html ", `<html data-as-of="${kept.headers.get("X-Kept-At")}" `);
  return new Response(text, { headers: kept.headers });
}

// Fetches the pages of the current game that have changed, one after the other, so that the marker's own
// requests come first. Deletes pages that are no longer listed: of another game, or of a finished hand.
async function precache(pages) {
  const cache = await caches.open(PAGES);
  const wanted = new Map(pages.map(([address, ...rest]) => [new URL(address, location).href, rest]));
  const fetched = new Set();
  for (const { url } of await cache.keys()) if (!wanted.has(url)) await cache.delete(url);
  for (const [url, [mark, together]] of wanted) {
    const kept = await cache.match(url);
    if (kept?.headers.get("X-Keep") === mark || fetched.has(together)) continue;
    const answer = await fetch(together ?? url, { headers: { "X-Precache": "1" } });
    if (!answer.ok) return;
    if (together) {
      fetched.add(together);
      await keepAll(answer);
    } else if (isToKeep(answer)) await keep(url, answer);
  }
}
