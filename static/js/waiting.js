// The list of actions that wait to be saved, above every page: how many, which, since when, and those
// that the server refused, which the marker has to settle.
import { isEnd, isHeld } from "./actions.js";
import { button, dispatch, gettext, make, ngettext, timeOf } from "./page.js";

const link = (says, href, className = "btn quiet") => make("a", { className, href }, says);

// True at the second tap on a button that discards an entry: the first tap turns it into a question.
export function isSure(press) {
  const isSecond = press.matches(".danger");
  press.className = "btn danger";
  press.textContent = gettext("Discard this entry? It can't be recovered.");
  return isSecond;
}

// True for a question to which the server answered with a question, for a fact that decides.
const asksBack = ({ refused }) => refused?.status === 200;

function line(action, list, { drop, reopen, change }) {
  const says = make("span", {}, make("b", {}, action.what), action.figures ? ` ${action.figures}` : "");
  const add = (sentence, className = "") => says.append(" ", make("small", { className }, sentence));
  add(gettext("entered %(time)s.", { time: timeOf(action.at) }));
  const row = make("p", { className: "row" });
  if (action.done) {
    add(gettext("Ruled on."));
    row.append(link(gettext("See the ruling"), action.done, "btn"));
  } else if (action.refused) {
    const isAsked = asksBack(action);
    const why = action.refused.says || gettext("open it to see why.");
    add(isAsked ? gettext("It asks: %(why)s", { why }) : gettext("Not saved: %(why)s", { why }), "warn");
    row.append(button("btn quiet", () => reopen(action), isAsked ? gettext("Answer it") : gettext("Open it")));
  } else {
    if (action.shows) add(gettext("No ruling yet: it comes when this is saved."));
    if (isHeld(action, list)) add(gettext("It waits for the one above."));
  }
  const [word, press] = action.draft && isEnd(action) && !action.refused
    ? [gettext("Change it"), () => change(action)]
    : [gettext("Discard"), ({ target }) => isSure(target) && drop(action.id)];
  if (!action.done) row.append(button("btn quiet", press, word));
  return make("li", {}, says, row);
}

function title(list) {
  const waiting = list.filter((action) => !action.done && !action.refused);
  const asking = list.filter(asksBack).length;
  const refused = list.filter((action) => action.refused).length - asking;
  const parts = [];
  const asked = waiting.filter((action) => action.shows).length;
  if (asked < waiting.length) parts.push(ngettext("%(number)s waiting to be saved", "%(number)s waiting to be saved", waiting.length));
  if (asked && asked < waiting.length) parts.push(ngettext("%(number)s of them for a ruling", "%(number)s of them for a ruling", asked));
  else if (asked) parts.push(ngettext("%(number)s waiting for a ruling", "%(number)s waiting for a ruling", asked));
  if (refused) parts.push(ngettext("%(number)s not accepted: look", "%(number)s not accepted: look", refused));
  if (asking) parts.push(ngettext("%(number)s to be answered: look", "%(number)s to be answered: look", asking));
  const done = list.filter((action) => action.done);
  let ruled = "";
  if (done.length === 1) ruled = done[0].says ?? gettext("Ruled on.");
  if (done.length > 1) ruled = ngettext("%(number)s ruling given", "%(number)s rulings given", done.length);
  return [ruled, parts.join(", ")].filter(Boolean).join(" · ");
}

const handIn = (address) => parseInt(address.split("hand=")[1]);

// A link to where the newest waiting entry leads: the next hand, or the rematch after the last hand. Links for
// a ruling lead there, too: the server refuses questions on a hand that is over. An entry that the marker has
// to settle first leads nowhere from another game.
function onward(list) {
  const last = list.filter((action) => !action.done && /hand=|again$/.test(action.then)).pop() ?? {};
  const { game, then, deal } = last;
  const { game: open, opened } = document.body.dataset;
  if (!then || opened || location.href.endsWith(then)) return "";
  const number = handIn(then);
  if (game === open ? number <= handIn(location.href) : open && isHeld(last, list)) return "";
  if (number) for (const ask of document.querySelectorAll(`[href$="${game}/ruling"]`)) ask.search = `hand=${number}`;
  const hand = number && deal?.replace("#", number); // none in what an earlier version kept
  return link(hand ? gettext("Go on with %(hand)s", { hand }) : gettext("Go on"), then);
}

// Draws the bar with the list. `open` and `says` unfold it with a sentence, `focus` moves the focus there.
export function paint(list, how) {
  const { open, says, focus, trouble, again, mayForget, recover, join } = how;
  const old = document.getElementById("waiting");
  dispatch(document, "waits", trouble);
  if (!list.length) return old?.remove();
  const shown = JSON.stringify([list, trouble, mayForget, recover]);
  if (old?.dataset.shown === shown && !open && !focus) return; // so that nothing moves under the thumb
  const { game: opened } = document.body.dataset; // a ruling of another game does not unfold the list here
  const isToRead = ({ refused, done, game }) => refused || (done && (!opened || game === opened));
  const unfolded = open ?? (old?.querySelector("details").open || list.some(isToRead) || how.isTold);
  const waits = list.some((action) => !action.done);
  const bar = make("section", { id: "waiting", className: "notice warn", "role": "status", "aria-label": gettext("Not saved yet"), "data-shown": shown });
  const more = make("details", { open: unfolded }, make("summary", { tabIndex: 0 }, make("b", {}, title(list))));
  const add = (...inside) => more.append(make("p", {}, ...inside));
  const addRow = (...inside) => more.append(make("p", { className: "row" }, ...inside));
  if (says) add(says);
  if (waits && document.querySelector("form[inert]")) add(gettext("You can enter more when the server answers."));
  const isSending = list.some((action) => !action.done && !isHeld(action, list)); // no tap is needed
  const kept = recover ? gettext("Kept on this phone.") : gettext("Kept on this phone, and sent automatically in this order.");
  if (isSending) add(trouble, " ", kept);
  if (waits && mayForget) add(gettext("Safari deletes this after seven days without a visit. Add this page to the home screen, or save it before then."));
  if (waits && recover) {
    add(gettext("To save it, bring back the notebook in which it was entered: with its recovery code, or from another phone that keeps it."));
    addRow(link(gettext("Use the recovery code"), recover), link(gettext("Join from another phone"), join));
  }
  more.append(make("ul", { className: "list" }, ...list.map((action) => line(action, list, how))));
  if (waits) addRow(button("btn quiet", again, gettext("Try now")));
  bar.append(more, onward(list));
  if (old) old.replaceWith(bar);
  else document.getElementById("main").prepend(bar);
  if (!focus && !open) return;
  bar.querySelector("summary").focus();
  bar.scrollIntoView({ block: "nearest" });
}

// True if this browser may delete what waits, although it was asked not to: Safari does so after seven
// days without a visit, unless the page is on the home screen.
export async function mayForgetEntries() {
  const isSafari = "standalone" in navigator || "safari" in window;
  const isInstalled = navigator.standalone || matchMedia("(display-mode: standalone)").matches;
  const isKept = await navigator.storage?.persist?.().catch(() => false); // over plain HTTP there is none
  return isSafari && !isInstalled && !isKept;
}
