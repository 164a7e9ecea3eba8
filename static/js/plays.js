// form[data-plays="Take play %s out"]: the plays of one question, which the server puts together one
// after the other while it answers. Without an answer they are put together here, into the same
// hidden fields. No rule is known here: what was played is written down, legal or not.
//   data-worded                each play is shown with its kind
//   [data-plays-none]          shows while there is no play, [data-plays-some] while there is one
import { eachNew, gettext, make, on, parts, reveal } from "./page.js";
import { comesTo, draw, meld, played, playsOf } from "./table.js";

const MOST = 20;
const WORDS = { meld: gettext("Meld"), lay_off: gettext("Lay-off"), swap: gettext("Swap"), discard: gettext("Discard"), take_pile: gettext("Takes the pile") };
const page = document.documentElement;
const lost = new WeakSet(); // forms to which no answer came
const pressed = new WeakMap(); // form -> the button that was tapped last

const isAlone = (form) => "asOf" in page.dataset || lost.has(form);
const fields = (form) => [...form.querySelectorAll('input[type=hidden][name="play"]')];
const ticked = (form) => [...form.querySelectorAll('[name="cards"]:checked')];

// -- what is shown ---------------------------------------------------------------------------------

function line(form, { kind, cards, onto }, number) {
  const says = make("span", {}, "worded" in form.dataset ? `${WORDS[kind]} ` : "");
  if (cards.length) says.append(meld(form, cards));
  if (onto) says.append(" ", make("small", {}, ...parts(gettext("on %(meld)s"), { meld: meld(form, onto) })));
  const label = form.dataset.plays.replace("%s", number + 1);
  const out = make("button", { className: "btn plain", name: "drop", value: number, "data-outbox": "no", "aria-label": label }, gettext("Remove"));
  return make("li", {}, make("div", { className: "row" }, says, out));
}

function show(form) {
  const { steps } = comesTo(form);
  const list = form.querySelector(".steps");
  list.replaceChildren(...steps.map((step, number) => line(form, step, number)));
  list.hidden = !steps.length;
  reveal("[data-plays-none]", !steps.length);
  reveal("[data-plays-some]", steps.length > 0);
  draw(form);
}

// -- what is tapped --------------------------------------------------------------------------------

// The address of the form with these plays: there they are after a reload, and where the question is
// opened again. Of a player who can still be chosen here it says nothing unless it has to.
function address(form, isHere) {
  const at = new URL(form.action);
  const isNamed = form.elements.player?.type === "hidden";
  const is = { hand: "ahead" in form.dataset, player: isHere || isNamed, ask: true, lying: form.elements.lying?.value !== form.dataset.melds };
  for (const [name, isSaid] of Object.entries(is)) {
    const value = form.elements[name]?.value;
    if (value && isSaid) at.searchParams.set(name, value);
  }
  for (const play of playsOf(form)) at.searchParams.append("play", play);
  return at.pathname + at.search;
}

function put(form, plays) {
  for (const field of fields(form)) field.remove();
  form.prepend(...plays.map((value) => make("input", { type: "hidden", name: "play", value })));
  show(form);
  form.dataset.page = address(form, false);
}

function change(form, plays) {
  put(form, plays);
  history.replaceState(history.state, "", address(form, true));
  form.dispatchEvent(new Event("change", { bubbles: true })); // for whoever draws the grid
  scrollTo({ top: 0, behavior: "instant" }); // the list is in view, as on the page that the server gives
}

function say(form, sentence = "") {
  document.getElementById("cards-error")?.remove();
  if (!sentence) return;
  const error = make("p", { className: "error", id: "cards-error", "role": "alert" }, sentence);
  form.querySelector("#cards legend").after(error);
  error.scrollIntoView({ block: "center", behavior: "instant" });
}

function wrong(kind, cards, plays) {
  if (plays.length >= MOST) return gettext("No turn has so many plays.");
  if (kind === "take_pile") return "";
  if (!cards.length) return gettext("Tap the cards that were played.");
  return /^(discard|swap)$/.test(kind) && cards.length > 1 ? gettext("That is one card. Tap only that one.") : "";
}

function add(form, value) {
  const [kind, onto, end] = value.split(" ");
  const cards = kind === "take_pile" ? [] : ticked(form);
  const plays = playsOf(form);
  const is = wrong(kind, cards, plays);
  say(form, is);
  if (is) return;
  for (const input of cards) input.checked = false;
  change(form, [...plays, played(kind, cards.map((input) => input.value), onto, end)]);
}

function drop(form, value) {
  say(form);
  change(form, playsOf(form).filter((_, number) => number !== Number(value)));
}

const isPlay = (press) => /^(add|drop)$/.test(press?.name);

function collect(form, { name, value }) {
  reveal("[data-offline]");
  if (name === "add") add(form, value);
  else drop(form, value);
}

on("submit", "form[data-plays]", (form, event) => {
  pressed.set(form, event.submitter);
  if (!isPlay(event.submitter) || !isAlone(form)) return;
  event.preventDefault();
  collect(form, event.submitter);
}, true);

on("lying", "form[data-plays]", show);
on("reset", "form[data-plays]", (form) => setTimeout(change, 0, form, []));
on("unanswered", "form[data-plays]", (form, event) => {
  if (!isPlay(pressed.get(form))) return;
  lost.add(form);
  event.preventDefault();
  collect(form, pressed.get(form));
});

// A copy of the page, kept without any play, is given for the address with them.
eachNew("form[data-plays]", (form) => {
  const named = new URLSearchParams(location.search).getAll("play");
  if ("asOf" in page.dataset && !fields(form).length && named.length) put(form, named.slice(0, MOST));
});
