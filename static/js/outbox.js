// Nothing that a marker enters is lost. A form with `key` and `base` is kept on this phone until the server
// has answered (see actions.js). Without an answer it is sent again, in order and with the same key, so
// that it is saved once. What the server refuses waits for the marker, and with it what comes after it in
// that game.
//   <meta name="outbox">          where a fresh token is given; data-recover, data-join: where this
//                                 browser becomes a marker again
//   data-then                     where the marker goes on while it waits
//   data-what, data-figures       what it is and says, in the list (else the page's title, and what the
//                                 button has as data-figures)
//   data-shows                    it is a question: its answer is shown, later too
//   data-ahead                    the form shows nothing of the game as it stands
//   data-undo                     takes back: what waits is taken back from the list instead
//   data-outbox="no" on a button  writes nothing down: not kept. Without an answer the form gets the
//                                 event "unanswered" with the button, and may prevent what is said
//   data-unkept                   the same on a form
//   data-discard on a link        drops the entry of this page, after a question
//   data-instead on a link        leads to a form whose entry takes the place of this one
//   body[data-opened]             the id of the entry, if it waits on this phone
import * as actions from "./actions.js";
import { announce, connected, eachNew, entered, free, gettext, goOn, isCopy, meta, on, quietly, reveal, show } from "./page.js";
import { forgets, isSure, paint } from "./waiting.js";

const PATIENCE = 8000; // for one answer, in ms
const RETRY = [2000, 60000]; // the first and the longest pause, in ms
const root = document.documentElement;
const otherTabs = new BroadcastChannel("outbox");
let pause = RETRY[0];
let timer = 0;
let trouble = ""; // why nothing could be sent the last time
let isAnswer = false; // what is open is the answer to what was sent, and holds what was entered
let isLeaving = false; // a link was tapped: a reload now would take that back
let mayForget; // whether this browser may forget what waits: asked once something does
let sending = Promise.resolve();

// -- sending ---------------------------------------------------------------------------------------

async function ask(address, options) {
  const giveUp = new AbortController();
  setTimeout(() => giveUp.abort(), PATIENCE);
  try {
    const answer = await fetch(address, { ...options, signal: giveUp.signal, headers: { "X-Action": options.how } });
    // A page that is not ours (of a hotel's network, of a proxy that finds no server) is no answer.
    if (!answer.headers.has("X-Action")) return null;
    return { ...(await answer.json()), status: answer.status, isNotSaved: answer.headers.has("X-Not-Saved") };
  } catch {
    return null;
  }
}

const LOST = gettext("No answer from the server.");
const NO_MARKER = gettext("This phone does not keep the score here any more.");

// A token for the forms as it is now; null, and why, if none is given.
async function token() {
  const answer = await ask(meta("outbox").content, { how: "later" });
  if (answer?.status === 200) return answer.token;
  trouble = answer?.status === 403 ? NO_MARKER : LOST;
  if (answer?.status === 403) navigator.serviceWorker?.controller?.postMessage({ forget: true });
  return null;
}

// Where the action was written down ({ to, entry, after }), what is wrong with it ({ status, says, page }),
// or null.
async function send(action, how, csrf) {
  const body = new URLSearchParams(action.fields);
  body.set("key", action.key);
  body.set("base", action.base);
  body.set("csrf_token", csrf);
  const answer = await ask(action.url, { how, method: "POST", body });
  if (!answer) trouble = LOST;
  if (!answer || answer.status === 429) return null;
  trouble = answer.status === 503 || answer.isNotSaved ? answer.says : "";
  return trouble ? null : answer;
}

// Send what waits, in order. Answers what came of the action `mine`, whose page is open: { to }, { page }
// or null while it waits.
async function flush(mine = null) {
  clearTimeout(timer);
  const came = { fate: null, finished: 0, isAll: false };
  // One after the other. What this browser could not read or write is not gone.
  await (sending = sending.then(() => sendAll(mine, came)).catch(wait));
  await repaint();
  const isWhole = came.finished && !trouble; // else a page that is left may not come again
  otherTabs.postMessage(isWhole ? "saved" : "changed");
  if (came.fate) return came.fate;
  if (isCopy() && trouble && trouble !== LOST) connected(); // it was answered, with a refusal
  if (isWhole) fresh();
  if (!came.isAll || came.finished || !isCopy()) return null;
  // Where nothing waits, an old copy of a page goes as soon as the server answers.
  if (await ask(meta("outbox").content, { how: "later" })) fresh();
  else wait();
  return null;
}

async function sendAll(mine, came) {
  // The page's own token is as good as a fresh one, if it was not an old copy.
  let csrf = mine && !isCopy() ? meta("csrf-token").content : null;
  let isFresh = !csrf;
  for (;;) {
    const list = await actions.all();
    const next = list.find((action) => !action.done && !actions.isHeld(action, list));
    if (!next) return void (came.isAll = true);
    const isMine = next.id === mine;
    csrf ??= await token();
    const result = csrf && (await send(next, isMine ? "send" : "later", csrf));
    if (!result) return void wait();
    pause = RETRY[0];
    if (result.status === 400 && !isFresh) {
      [csrf, isFresh] = [null, true]; // signed with a key that was changed meanwhile
      continue;
    }
    if ("to" in result) {
      if (!isMine && next.shows) Object.assign(next, { done: result.to, says: result.says });
      await actions.saved(next, result, !isMine);
      if (isMine) came.fate = result;
      else came.finished += 1;
    } else if (isMine && /200|400|409|422/.test(result.status)) {
      // What has a place among others keeps it; anything else is on the page that is shown.
      if (next.again) await refuse(next, result);
      else await actions.drop(next.id);
      came.fate = result;
      return;
    } else await refuse(next, result);
  }
}

const refuse = (action, { status, says }) => actions.change({ ...action, refused: { status, says } });

function wait() {
  clearTimeout(timer);
  timer = setTimeout(flush, pause);
  pause = Math.min(2 * pause, RETRY[1]);
}

async function now() {
  pause = RETRY[0];
  await actions.retry().catch(() => {});
  return flush();
}

// -- forms -----------------------------------------------------------------------------------------

const isAction = (form) => form.method === "post" && form.elements.key && form.elements.base && form.dataset.outbox !== "no";

function written(form, press) {
  const fields = [...entered(form, press)].filter(([name]) => !["csrf_token", "key", "base"].includes(name));
  const game = document.body.dataset.game ?? "";
  const { key, base } = form.elements;
  const action = {
    game,
    url: form.action.slice(location.origin.length),
    fields,
    key: key.value,
    base: Number(base.value),
    what: what(form, press),
    figures: form.dataset.figures ?? figures(press),
    at: Date.now(),
    then: form.dataset.then ?? "",
    shows: "shows" in form.dataset,
  };
  if (form.dataset.replaces) Object.assign(action, { id: Number(form.dataset.replaces), again: true });
  return action;
}

const text = (element) => element?.innerText.replace(/\s+/g, " ").trim() ?? "";

// What the button says it costs, or what was typed beside it for a reason of the table's own.
function figures(press) {
  const typed = [...(press?.closest("#house")?.querySelectorAll("input") ?? [])].map(({ value }) => value);
  return [press?.dataset.figures, ...typed].filter(Boolean).join(", ");
}

function what(form, press) {
  // What the button says of itself, unless it only saves, or rules on what is tapped.
  const isPlain = press?.matches("shows" in form.dataset ? ".wide, .vh" : ".save, .end > .vh");
  const label = text(press?.querySelector("bdi")) || (isPlain ? "" : press?.getAttribute("aria-label") || text(press));
  if ("undo" in form.dataset) return label;
  const of = form.elements.hand?.value && document.body.dataset.deal.replace("#", form.elements.hand.value);
  let heading = form.dataset.what ?? document.title;
  if (of && !heading.toLowerCase().includes(of)) heading += `, ${of}`;
  const who = text(form.querySelector(".who input:checked")?.parentElement);
  const tapped = "shows" in form.dataset ? [...form.querySelectorAll(".cards input:checked ~ b")] : [];
  const detail = [who, label, tapped.map((face) => face.textContent).join(" ")].filter(Boolean).join(", ");
  return detail ? `${heading}: ${detail}` : heading;
}

const draftDone = ({ dataset }) => quietly(() => localStorage.removeItem(`draft:${dataset.draft}`));

// Keep what was entered, and send it.
async function keepAndSend(form, press, action) {
  const { touched } = form.dataset;
  const isUndo = "undo" in form.dataset;
  try {
    if (isUndo && (await actions.all()).some((one) => !one.done && one.game === action.game)) {
      free(form);
      return await repaint({ open: true, says: gettext("The newest entries are not saved yet. Discard here what you want to undo.") });
    }
    action.id = await actions.enter(action, isUndo ? null : { isCopy: isCopy(), isAhead: "ahead" in form.dataset });
  } catch {
    // Nothing can be kept in this browser: sent as if there were no scripts, once it is done with the tap.
    free(form);
    form.dataset.outbox = "no";
    return void setTimeout(() => (press ? press.click() : form.submit()));
  }
  await follow(form, action, touched).catch(() => free(form));
}

// What comes of an action that is kept.
async function follow(form, action, touched) {
  const fate = await flush(action.id);
  if (fate?.to) {
    draftDone(form);
    delete form.dataset.touched; // should the browser go back to it
    if (form.matches(".end")) navigator.vibrate?.(30); // the hand is saved
    return goOn(fate.to);
  }
  if (fate) return answered(action, fate.page);
  // What waits may have been sent meanwhile with what was sent by itself, from here or another tab.
  const left = (await actions.all()).find(({ id }) => id === action.id);
  if (!left || left.done || (action.then && (await isThere(action.then)))) {
    draftDone(form);
    if (left?.done) await actions.drop(action.id);
    return goOn(left?.done || action.then || location.href);
  }
  free(form);
  form.toggleAttribute("inert", form.matches(".end")); // the next hand has a page of its own, when there is a server
  // What was entered since, while an answer was waited for, belongs to the next action.
  if (form.dataset.touched === touched) {
    form.reset();
    announce(form);
    delete form.dataset.touched;
  }
  await repaint({ focus: true });
}

// The page that the server answered with in place of saving. An action that was refused before stays
// kept, and what is sent from this page takes its place.
async function answered(action, html) {
  free();
  show(html);
  isAnswer = true;
  // A reload asks for the form of what was entered, and not for that of the hand that is open now.
  const { draftFresh } = document.querySelector("form[data-draft-fresh]")?.dataset ?? {};
  if (draftFresh) history.replaceState(null, "", action.again ? `${draftFresh}#instead-of-${action.id}` : draftFresh);
  if (!action.again) return;
  document.body.dataset.opened = action.id;
  replace(`form[method=post][action="${action.url}"], form[data-draft-restored=no]`, action.id);
  await repaint({ open: false });
}

// What was refused is opened on the page that the server answers it with. It is sent as it was made:
// for the same hand, after the same entry. No form of another hand is filled with it.
async function look(action) {
  root.dataset.sending = "";
  await actions.change({ ...action, refused: null, again: true });
  const fate = await flush(action.id);
  if (fate?.to) return goOn(fate.to);
  if (fate) return answered({ ...action, again: true }, fate.page);
  free();
  await repaint({ open: true });
}

// An answer is wanted now or not at all.
async function unkept(form, press) {
  const body = new URLSearchParams([...entered(form, press)]);
  const answer = await ask(form.action, { how: "send", method: "POST", body });
  if (answer?.to) return goOn(answer.to);
  free(form);
  if (answer) return show(answer.page);
  if (form.dispatchEvent(new CustomEvent("unanswered", { bubbles: true, cancelable: true, detail: press }))) document.getElementById("trouble").hidden = false;
}

// Whether a page can be opened now: this browser has a copy, or the server answers.
async function isThere(address) {
  if (navigator.serviceWorker?.controller && (await caches.match(address).catch(() => false))) return true;
  return trouble !== LOST && Boolean(await ask(meta("outbox").content, { how: "later" }));
}

// The page that is open shows what stood before the actions were saved that waited.
function fresh() {
  const isDirty = [...document.querySelectorAll("main form")].some((form) => "touched" in form.dataset);
  if (!isDirty && !isAnswer && !isLeaving && !("sending" in root.dataset)) location.reload();
  else if (isCopy()) connected();
}

// The server gave this page while it was sent what the page before had kept, or the browser had kept it:
// once more, but not for ever, if the server has forgotten an entry.
async function catchUp({ dataset: { game, base } }, isBack = false) {
  if (!game || isCopy()) return;
  const newest = await actions.seen(game, Number(base)).catch(() => 0);
  const isFirst = performance.getEntriesByType("navigation")[0]?.type === "navigate"; // and no reload
  if (newest > base && (isBack || isFirst)) fresh();
}

async function discard(link) {
  if (!isSure(link)) return;
  document.querySelectorAll("form[data-draft]").forEach(draftDone);
  const { opened } = document.body.dataset;
  if (opened) await actions.drop(Number(opened));
  goOn(link.href);
}

// The forms of a page that make an entry in the place of another one.
function replace(selector, id) {
  for (const form of document.querySelectorAll(selector)) form.dataset.replaces = id;
}

// Over HTTPS (and on this machine) pages are kept too: the service worker fetches them ahead.
async function keepPages({ worker, precache }) {
  await navigator.serviceWorker.register(worker);
  if (!precache || isCopy()) return;
  const { active } = await navigator.serviceWorker.ready;
  const answer = await ask(precache, { how: "later" });
  if (answer?.status === 200) active.postMessage({ pages: answer.pages });
}

// What is kept. What was asked is answered by the page that is open.
async function kept() {
  const list = await actions.all();
  for (const { id, done } of list) if (done === location.pathname) await actions.drop(id);
  return list.filter(({ done }) => done !== location.pathname);
}

async function repaint(how = {}) {
  const list = await kept().catch(() => null);
  if (!list) return; // it cannot be read: what is shown stays
  if (list.length && mayForget === undefined) {
    mayForget = false;
    forgets().then((yes) => (mayForget = yes) && repaint()); // Firefox asks its user first
  }
  const isTold = trouble && trouble !== LOST;
  const isElsewhere = trouble === NO_MARKER || list.some((action) => /403|404/.test(action.refused?.status));
  const { recover, join } = isElsewhere ? meta("outbox").dataset : {};
  paint(list, { ...how, trouble, mayForget, isTold, recover, join, again: now, look, drop: async (id) => (await actions.drop(id), now()) });
}

if (meta("outbox")) {
  if (!isSecureContext) reveal("[data-insecure]");
  if (isCopy()) reveal("[data-offline]");
  on("submit", "form", (form, event) => {
    const press = event.submitter;
    if (event.defaultPrevented || !isAction(form)) return;
    event.preventDefault();
    if (press?.dataset.outbox === "no" || "unkept" in form.dataset) unkept(form, press);
    else keepAndSend(form, press, written(form, press));
  });
  on("click", "[data-discard]", (link, event) => {
    event.preventDefault();
    discard(link);
  });
  on("click", "[data-instead]", (link) => {
    const { opened } = document.body.dataset;
    if (opened) link.hash = `instead-of-${opened}`;
  });
  on("click", "a[href]:not([href^='#']):not([download])", (_, event) => (isLeaving = !event.defaultPrevented));
  // Each touch counts: one that changes nothing, as of who was chosen before, is meant all the same.
  const touched = ({ form }) => form && (form.dataset.touched = Number(form.dataset.touched ?? 0) + 1);
  on("input", "*", touched);
  on("click", "[type=radio], [type=checkbox]", touched);
  otherTabs.addEventListener("message", ({ data }) => (data === "saved" ? repaint().then(fresh) : repaint()));
  addEventListener("online", now);
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    isLeaving = false;
    now();
    catchUp(document.body, true);
  });
  document.addEventListener("visibilitychange", () => document.hidden || now());
  eachNew("body[data-game]", (body) => catchUp(body));
  const [, id] = location.hash.match(/^#instead-of-(\d+)$/) ?? [];
  if (id) replace(`form[method=post][action="${location.pathname}"]`, id);
  if (isCopy()) repaint().then(wait); // it was given because the server took too long, or is off
  else now();
  const { worker } = meta("outbox").dataset;
  if (worker && "serviceWorker" in navigator) keepPages(meta("outbox").dataset).catch(() => {}); // no room for pages
}
