// Nothing that a marker enters is lost. A form with `key` and `base` is an action: it is kept on this phone
// until the server has answered (see actions.js). Without an answer it is sent again, in order and with the
// same key, so that it is saved once. A refused action and the later ones of its game wait for the marker.
//   <meta name="outbox">          the address that gives a fresh token; data-recover, data-join: addresses
//                                 at which this browser becomes a marker again
//   data-then                     where the marker goes on while the action waits
//   data-what, data-figures       its title and its figures in the list (default: the page's title, and the
//                                 data-figures of the button)
//   data-shows                    the form is a question: its answer is shown, even if it comes later
//   data-upcoming                 the form shows nothing of the game's current state
//   data-undo                     the form undoes: actions that wait are discarded in the list instead
//   data-outbox="no" on a button  its form saves nothing: it is not kept. Without an answer the form gets
//                                 the event "unanswered" with the button, and can prevent the error message (page.js)
//   data-unkept                   the same on a form; so is any posted form without a `key`
//   data-discard on a link        drops the entry of this page, after a question
//   data-instead on a link        leads to a form whose entry replaces this one
//   body[data-opened]             the id of the page's entry, if it waits on this phone
// Without an answer, a form gets the event "unsent" before its action waits, and can prevent that. The event has the
// button (`press`), and the `others` of its game that wait.
import * as actions from "./actions.js";
import { draftAgain, drop as dropDraft } from "./draft.js";
import { announce, connected, dispatch, eachNew, entered, free, gettext, goOn, isCopy, meta, on, reveal, show, wasOpened } from "./page.js";
import { isSure, mayForgetEntries, paint } from "./waiting.js";

const PATIENCE = 8000; // how many ms to wait for an answer
const RETRY = [2000, 60000]; // the first and the longest pause, in ms
const root = document.documentElement;
const otherTabs = new BroadcastChannel("outbox");
let pause = RETRY[0];
let timer = 0;
let trouble = ""; // why the last attempt to send failed
let isAnswer = false; // the page that is open answers a form, and holds what was entered
let isLeaving = false; // a link was tapped: a reload now would cancel that
let mayForget; // whether this browser may delete what waits; undefined until an action waits
let sending = Promise.resolve();
let mine = {}; // the action that was entered on the open page ({ id }), and then the server's `answer` to it

// -- sending ---------------------------------------------------------------------------------------

async function ask(address, options) {
  const giveUp = new AbortController();
  setTimeout(() => giveUp.abort(), PATIENCE);
  try {
    const answer = await fetch(address, { ...options, signal: giveUp.signal, headers: { "X-Action": options.how } });
    // A page of somebody else (a hotel's login, a proxy's error) is no answer.
    if (!answer.headers.has("X-Action")) return null;
    return { ...(await answer.json()), status: answer.status };
  } catch {
    return null;
  }
}

const LOST = gettext("No answer from the server.");
const NO_MARKER = gettext("This phone does not keep the score here any more.");

// A fresh token for forms. Without one, null; `trouble` then says why.
async function freshToken() {
  const answer = await ask(meta("outbox").content, { how: "later" });
  if (answer?.status === 200) return answer.token;
  trouble = answer?.status === 403 ? NO_MARKER : LOST;
  if (answer?.status === 403) navigator.serviceWorker?.controller?.postMessage({ forget: true });
  return null;
}

// The server's answer to an action: saved ({ to, entry, after }), refused ({ status, says, page }), or null.
async function send(action, how, csrf) {
  const body = new URLSearchParams(action.fields);
  body.set("key", action.key);
  body.set("base", action.base);
  body.set("csrf_token", csrf);
  const answer = await ask(action.url, { how, method: "POST", body });
  if (!answer) trouble = LOST;
  if (!answer || answer.status === 429) return null;
  trouble = answer.status === 503 ? answer.says : "";
  return trouble ? null : answer;
}

// Sends what waits, in order. With `id`, that of the action that was entered on the open page, returns the
// answer to it: { to }, { page }, or null while it waits. An earlier flush, still going on, may send it.
async function flush(id = null) {
  clearTimeout(timer);
  const sent = id ? (mine = { id }) : {};
  const done = { others: 0, isAll: false };
  // One flush after the other. If this browser's storage fails now, the actions are still there later.
  await (sending = sending.then(() => sendAll(done)).catch(wait));
  if (id) mine = {}; // from now on it is sent like any other
  await repaint();
  const isSaved = done.others && !trouble; // with trouble, a page that is reloaded may not come back
  otherTabs.postMessage(isSaved ? "saved" : "changed");
  if (sent.answer) return sent.answer;
  if (isCopy() && trouble && trouble !== LOST) connected(); // the server did answer
  if (isSaved) refresh();
  if (!done.isAll || done.others || !isCopy()) return null;
  // If nothing waits, an old copy of a page is replaced as soon as the server answers.
  if (await ask(meta("outbox").content, { how: "later" })) refresh();
  else wait();
  return null;
}

async function sendAll(done) {
  // The page's own token is good, unless the page is an old copy.
  let csrf = mine.id && !isCopy() ? meta("csrf-token").content : null;
  let isFresh = !csrf;
  for (;;) {
    const list = await actions.all();
    const next = list.find((action) => !action.done && !actions.isHeld(action, list));
    if (!next) return void (done.isAll = true);
    const isMine = next.id === mine.id;
    csrf ??= await freshToken();
    const result = csrf && (await send(next, isMine ? "send" : "later", csrf));
    if (!result) return void wait();
    pause = RETRY[0];
    if (result.status === 400 && !isFresh) {
      [csrf, isFresh] = [null, true]; // the server's secret has changed since
      continue;
    }
    if ("to" in result) {
      if (!isMine && next.shows) Object.assign(next, { done: result.to, says: result.says });
      await actions.saved(next, result, !isMine);
      if (isMine) mine.answer = result;
      else done.others += 1;
    } else if (isMine && /200|400|409|422/.test(result.status)) {
      // An action that was refused before keeps its place in the list; others are on the answer's page.
      if (next.again) await refuse(next, result);
      else await actions.drop(next.id);
      mine.answer = result;
      return;
    } else await refuse(next, result);
  }
}

const refuse = (action, { status, says }) => actions.change({ ...action, refused: { status, says } });

// Sends what waits after a pause, longer each time; `now` sends it at once.
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

// The action of a form, as it is kept.
function actionOf(form, press) {
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
    draft: form.dataset.draft,
    deal: document.body.dataset.deal ?? "",
    shows: "shows" in form.dataset,
  };
  if (form.dataset.replaces) Object.assign(action, { id: Number(form.dataset.replaces), again: true });
  return action;
}

const text = (element) => element?.innerText.replace(/\s+/g, " ").trim() ?? "";

// The points on the button, or what was typed beside it for a house penalty.
function figures(press) {
  const typed = [...(press?.closest("#house")?.querySelectorAll("input") ?? [])].map(({ value }) => value);
  return [press?.dataset.figures, ...typed].filter(Boolean).join(", ");
}

// The title of an action in the list: "Penalty, hand 3: Ben, Stock touched".
function what(form, press) {
  // The button's label counts, unless the button only saves or asks for the ruling.
  const isPlain = press?.matches("shows" in form.dataset ? ".wide, .vh" : ".save, .end > .vh");
  const label = text(press?.querySelector("bdi")) || (isPlain ? "" : press?.getAttribute("aria-label") || text(press));
  if ("undo" in form.dataset) return label;
  const of = form.elements.hand?.value && document.body.dataset.deal.replace("#", form.elements.hand.value);
  let heading = form.dataset.what ?? document.title;
  if (of && !heading.toLowerCase().includes(of)) heading += `, ${of}`;
  const who = text(form.querySelector(".who input:checked")?.parentElement);
  const faces = [...form.querySelectorAll(".cards input:checked ~ b")].map((face) => face.textContent).join(" ");
  const plays = [...form.querySelectorAll(".steps .row > span")].map(text);
  const shown = [...plays, faces].filter(Boolean).join("; ");
  const detail = [who, label, form.matches(".end") ? "" : shown].filter(Boolean).join(", ");
  return detail ? `${heading}: ${detail}` : heading;
}

// Keeps an action on this phone, and sends it.
async function keepAndSend(form, press, action) {
  const { touched } = form.dataset;
  const isUndo = "undo" in form.dataset;
  try {
    if (isUndo && (await actions.all()).some((one) => !one.done && one.game === action.game)) {
      free(form);
      return await repaint({ open: true, says: gettext("The newest entries are not saved yet. Discard here what you want to undo.") });
    }
    action.id = await actions.enter(action, isUndo ? null : { isCopy: isCopy(), isUpcoming: "upcoming" in form.dataset });
  } catch {
    // This browser cannot keep anything: it sends the form itself, after this event.
    free(form);
    form.dataset.outbox = "no";
    return void setTimeout(() => (press ? press.click() : form.submit()));
  }
  await follow(form, press, action, touched).catch(() => free(form));
}

// Sends an action that is kept, and shows the answer or goes on without one.
async function follow(form, press, action, touched) {
  const answer = await flush(action.id);
  if (answer?.to) {
    dropDraft(form);
    delete form.dataset.touched; // the browser may go back to this page
    if (form.matches(".end")) navigator.vibrate?.(30); // the hand is saved
    return goOn(answer.to);
  }
  if (answer) return answered(action, answer.page);
  // Another tab, or an earlier flush of this one, may have sent the action meanwhile.
  const list = await actions.all();
  const waiting = list.find(({ id }) => id === action.id);
  const others = list.filter(({ id, game, done }) => id !== action.id && game === action.game && !done);
  if (waiting && !waiting.done && !action.again && !dispatch(form, "unsent", { press, others })) {
    await actions.drop(action.id);
    free(form);
    return void (await repaint());
  }
  if (!waiting || waiting.done || (action.then && (await isThere(action.then)))) {
    dropDraft(form);
    if (waiting?.done) await actions.drop(action.id);
    return goOn(waiting?.done || action.then || location.href);
  }
  free(form);
  form.toggleAttribute("inert", form.matches(".end")); // the next hand's form comes from the server
  // What was entered during the wait for an answer belongs to the next action.
  if (form.dataset.touched === touched) {
    form.reset();
    announce(form);
    delete form.dataset.touched;
  }
  await repaint({ focus: true });
}

// Shows the page that the server answered with instead of saving. An action that was refused before is
// still kept, and a form that is sent from this page replaces it.
async function answered(action, html) {
  free();
  show(html);
  isAnswer = true;
  // A reload gets the form of the same hand, even if another hand is open by now.
  const { draftFresh } = document.querySelector("form[data-draft-fresh]")?.dataset ?? {};
  if (draftFresh) history.replaceState(history.state, "", action.again ? `${draftFresh}#instead-of-${action.id}` : draftFresh);
  if (!action.again) return;
  document.body.dataset.opened = action.id;
  replace(`form[method=post][action="${action.url}"], form[data-draft-restored=no]`, action.id);
  await repaint({ open: false });
}

// Opens a refused action: sends it once more, unchanged (for the same hand, after the same entry), and
// shows the page that the server answers with. No form of another hand is filled with it.
async function reopen(action) {
  root.dataset.sending = "";
  await actions.change({ ...action, refused: null, again: true });
  const answer = await flush(action.id);
  if (answer?.to) return goOn(answer.to);
  if (answer) return answered({ ...action, again: true }, answer.page);
  free();
  await repaint({ open: true });
}

// Sends a form that is not kept: without an answer it is not sent again.
async function sendUnkept(form, press) {
  const body = new URLSearchParams([...entered(form, press)]);
  const answer = await ask(form.action, { how: "send", method: "POST", body });
  if (answer?.to) return goOn(answer.to);
  free(form);
  if (answer) return show(answer.page);
  dispatch(form, "unanswered", press);
}

// True if a page can be opened now: this browser has a copy, or the server answers.
async function isThere(address) {
  if (navigator.serviceWorker?.controller && (await caches.match(address).catch(() => false))) return true;
  return trouble !== LOST && Boolean(await ask(meta("outbox").content, { how: "later" }));
}

// Reloads the open page, which is older than the actions that were just saved, unless that loses an entry.
function refresh() {
  const isDirty = [...document.querySelectorAll("main form")].some((form) => "touched" in form.dataset);
  if (!isDirty && !isAnswer && !isLeaving && !("sending" in root.dataset)) location.reload();
  else if (isCopy()) connected();
}

// Reloads a page that is older than an entry that this phone knows of: the browser had kept it, or the
// server made it before it saved an action. Once only, in case the server has lost that entry.
async function catchUp({ dataset: { game, base } }, isBack = false) {
  if (!game || isCopy()) return;
  const newest = await actions.seen(game, Number(base)).catch(() => 0);
  if (newest > base && (isBack || wasOpened())) refresh();
}

async function discard(link) {
  if (!isSure(link)) return;
  document.querySelectorAll("form[data-draft]").forEach(dropDraft);
  const { opened } = document.body.dataset;
  if (opened) await actions.drop(Number(opened));
  goOn(link.href);
}

// Opens the form of a hand's end that waits, filled in, so that it can be changed.
async function change(action) {
  const form = draftAgain(action);
  if (!form) return;
  await actions.drop(action.id);
  goOn(form);
}

// Makes the entries of these forms replace the entry with this id.
function replace(selector, id) {
  for (const form of document.querySelectorAll(selector)) form.dataset.replaces = id;
}

// Has the service worker fetch the game's pages. There is one only over HTTPS and on the server's machine.
async function keepPages({ worker, precache }) {
  await navigator.serviceWorker.register(worker);
  if (!precache || isCopy()) return;
  const { active } = await navigator.serviceWorker.ready;
  const answer = await ask(precache, { how: "later" });
  if (answer?.status === 200) active.postMessage({ pages: answer.pages });
}

// The actions that are kept. A question whose ruling is the open page is dropped: the marker sees it.
async function kept() {
  const list = await actions.all();
  for (const { id, done } of list) if (done === location.pathname) await actions.drop(id);
  return list.filter(({ done }) => done !== location.pathname);
}

async function repaint(how = {}) {
  const list = await kept().catch(() => null);
  if (!list) return; // the storage cannot be read: the bar stays as it is
  if (list.length && mayForget === undefined) {
    mayForget = false;
    mayForgetEntries().then((may) => (mayForget = may) && repaint()); // Firefox asks its user first
  }
  const isTold = trouble && trouble !== LOST;
  const isElsewhere = trouble === NO_MARKER || list.some((action) => /403|404/.test(action.refused?.status));
  const { recover, join } = isElsewhere ? meta("outbox").dataset : {};
  paint(list, { ...how, trouble, mayForget, isTold, recover, join, again: now, reopen, change, drop: async (id) => (await actions.drop(id), now()) });
}

if (meta("outbox")) {
  if (!isSecureContext) reveal("[data-insecure]");
  if (isCopy()) reveal("[data-offline]");
  on("submit", "form", (form, event) => {
    const press = event.submitter;
    const { key, base } = form.elements;
    // The browser itself sends files, and what begins a game.
    if (event.defaultPrevented || (key && !base) || !form.matches("[method=post]:not([enctype], [data-outbox=no])")) return;
    event.preventDefault();
    if (!key || press?.dataset.outbox === "no" || "unkept" in form.dataset) sendUnkept(form, press);
    else keepAndSend(form, press, actionOf(form, press));
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
  // Every touch counts, even one that changes nothing: a second tap on a chosen player is meant, too.
  const touched = ({ form }) => form && (form.dataset.touched = Number(form.dataset.touched ?? 0) + 1);
  on("input", "*", touched);
  on("click", "[type=radio], [type=checkbox]", touched);
  otherTabs.addEventListener("message", ({ data }) => (data === "saved" ? repaint().then(refresh) : repaint()));
  addEventListener("online", now);
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    isLeaving = false;
    now();
    catchUp(document.body, true);
  });
  document.addEventListener("visibilitychange", () => document.hidden || now());
  eachNew("body[data-game]", (body) => catchUp(body));
  const [, id] = location.hash.match(/^#instead-of-([\d.]+)$/) ?? [];
  if (id) replace(`form[method=post][action="${location.pathname}"]`, id);
  if (isCopy()) repaint().then(wait); // the server is off, or took too long
  else now();
  const { worker } = meta("outbox").dataset;
  if (worker && "serviceWorker" in navigator) keepPages(meta("outbox").dataset).catch(() => {}); // no room for pages
}
