// What waits to be saved, above every page: how many actions, which, since when, and what the marker
// must settle because the server refused it.
import { make } from "./page.js";

const button = (says, press) => make("button", { type: "button", className: "btn quiet", onclick: press }, says);
const link = (says, to) => make("a", { className: "btn quiet", href: to }, says);

// Whether the entry is to be discarded: the first tap asks, the second one is sure.
export function isSure(press) {
  const was = press.matches(".danger");
  press.className = "btn danger";
  press.textContent = "Discard this entry? It can't be recovered.";
  return was;
}

function since(at) {
  const days = new Date(at).toDateString() === new Date().toDateString() ? {} : { day: "numeric", month: "short" };
  return new Date(at).toLocaleString("en-GB", { ...days, hour: "2-digit", minute: "2-digit" });
}

// A question that is only ruled on when something more was said.
const asksBack = ({ refused }) => refused?.status === 200;

function line(action, isBlocked, { drop, look }) {
  const says = make("span", {}, make("b", {}, action.what), action.figures ? ` ${action.figures}` : "", make("small", {}, ` entered ${since(action.at)}.`));
  const row = make("p", { className: "row" });
  if (action.done) {
    says.append(make("small", {}, " Ruled on."));
    row.append(make("a", { className: "btn", href: action.done }, "See the ruling"));
  } else if (action.refused) {
    const asks = asksBack(action);
    says.append(make("small", { className: "warn" }, ` ${asks ? "It asks" : "Not saved"}: ${action.refused.says || "open it to see why."}`));
    if (look) row.append(button(asks ? "Answer it" : "Open it", () => look(action)));
  } else {
    if (action.shows) says.append(make("small", {}, " No ruling yet: it is given when this is saved."));
    if (isBlocked) says.append(make("small", {}, " It waits for the one above."));
  }
  if (!action.done) {
    const press = button("Discard", () => isSure(press) && drop(action.id));
    row.append(press);
  }
  return make("li", {}, says, row);
}

function title(list) {
  const open = list.filter((action) => !action.done);
  const asking = list.filter(asksBack).length;
  const refused = list.filter((action) => action.refused).length - asking;
  const parts = [];
  const asked = open.filter((action) => action.shows).length;
  if (open.length) parts.push(`${open.length} waiting to be saved${asked ? `, ${asked} for a ruling` : ""}`);
  if (refused) parts.push(`${refused} not accepted: look`);
  if (asking) parts.push(`${asking} to be answered: look`);
  if (open.length < list.length) parts.push("ruled on: look");
  return parts.join(", ");
}

// The bar as it has to be now. `open` and `says` unfold it with a sentence, `focus` leads there.
export function paint(list, how) {
  const { open, says, focus, trouble, again, mayForget, recover, join } = how;
  const old = document.getElementById("waiting");
  document.dispatchEvent(new CustomEvent("waits", { detail: trouble }));
  if (!list.length) return old?.remove();
  const shown = JSON.stringify([list, trouble, mayForget, recover]);
  if (old?.dataset.shown === shown && !open && !focus) return; // nothing moves under the thumb
  const unfolded = open ?? (old?.querySelector("details").open || list.some((action) => action.refused || action.done) || how.isTold);
  const blocked = new Set();
  const lines = list.map((action) => {
    const isBlocked = blocked.has(action.game);
    if (action.refused) blocked.add(action.game);
    return line(action, isBlocked, how);
  });
  const waits = list.some((action) => !action.done);
  const bar = make("section", { id: "waiting", className: "notice warn", "role": "status", "aria-label": "Not saved yet", "data-shown": shown });
  const more = make("details", { open: unfolded }, make("summary", { tabIndex: 0 }, make("b", {}, title(list))));
  if (says) more.append(make("p", {}, says));
  if (waits && document.querySelector("form[inert]")) more.append(make("p", {}, "The next hand can be entered when the server answers."));
  if (waits) more.append(make("p", {}, `${trouble} Kept on this phone, and sent by itself, in this order.`));
  if (waits && mayForget) more.append(make("p", {}, "Safari forgets this after seven days without a visit. Add this page to the home screen, or let it be saved before."));
  if (waits && recover) {
    more.append(make("p", {}, "To save it, bring the notebook back in which it was entered: with its recovery code, or from another phone that keeps it."));
    more.append(make("p", { className: "row" }, link("Use the recovery code", recover), link("Join from another phone", join)));
  }
  more.append(make("ul", { className: "list" }, ...lines));
  if (waits) more.append(make("p", { className: "row" }, button("Try now", again)));
  bar.append(more);
  // The furthest that was come to: the next hand, or after the last one another game.
  const { game, then } = [...list].reverse().find((action) => !action.done && /hand=|again$/.test(action.then)) ?? {};
  const hand = (address) => parseInt(address.split("hand=")[1]);
  const isPast = () => game === document.body.dataset.game && hand(then) < hand(location.href);
  if (then && !document.body.dataset.opened && !isPast() && !location.href.endsWith(then)) bar.append(link(hand(then) ? `Go on with hand ${hand(then)}` : "Go on", then));
  if (old) old.replaceWith(bar);
  else document.getElementById("main").prepend(bar);
  if (!focus && !open) return;
  bar.querySelector("summary").focus();
  bar.scrollIntoView({ block: "nearest" });
}

// Whether this browser may forget what waits, though it was asked not to: Safari does so after seven days
// without a visit, unless the page is on the home screen.
export async function forgets() {
  const isSafari = "standalone" in navigator || "safari" in window;
  const isInstalled = navigator.standalone || matchMedia("(display-mode: standalone)").matches;
  let isKept = false;
  try {
    isKept = await navigator.storage.persist();
  } catch {
    // none over plain HTTP, and in older browsers
  }
  return isSafari && !isInstalled && !isKept;
}
