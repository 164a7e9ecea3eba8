// form[data-plays="Take play %s out"]: the plays of one question, which the server puts together one
// after the other while it answers. Without an answer they are put together here, into the same
// hidden fields. No rule is known here: what was played is written down, legal or not.
//   data-melds, data-pile      what lies on the recorded table: "5C 8H=6C 7C; 9D 9H 9S", "4C QS"
//   data-packs, data-jokers    so many of each card there are
//   data-wilds-stay            a wild card that is swapped out stays in its meld
//   data-worded                each play is shown with its kind
//   [data-plays-none]          shows while there is no play, [data-plays-some] while there is one
import { everywhere } from "./everywhere.js";
import { mark } from "./taken.js";

const MOST = 20;
const WORDS = { meld: "Meld", lay_off: "Lay-off", swap: "Swap", discard: "Discard", take_pile: "Takes the pile" };
const page = document.documentElement;
const lost = new WeakSet(); // forms to which no answer came
const pressed = new WeakMap(); // form -> the button that was tapped last
const built = new WeakSet();

const isAlone = (form) => "asOf" in page.dataset || lost.has(form);
const fields = (form) => [...form.querySelectorAll('input[type=hidden][name="play"]')];
const playsOf = (form) => fields(form).map(({ value }) => value);
const ticked = (form) => [...form.querySelectorAll('[name="cards"]:checked')];
const cardOf = (text) => text.split("=")[0];

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// -- where the cards are ---------------------------------------------------------------------------

// What the plays come to: each as it is shown, the melds, and every card that lies somewhere.
function course(form, plays) {
  const { melds: laid, pile, wildsStay } = form.dataset;
  const melds = laid.split("; ").filter(Boolean).map((meld) => meld.split(" "));
  let places = melds.flat().map((text) => [cardOf(text), "table"]);
  places.push(...pile.split(" ").filter(Boolean).map((card) => [card, "pile"]));
  const steps = plays.map((play) => {
    const [kind, ...rest] = play.split(" ");
    const at = rest.indexOf("onto");
    const cards = at < 0 ? rest : rest.slice(0, at);
    const onto = at < 0 ? undefined : melds[rest[at + 1]];
    const step = { kind, cards, onto: onto && [...onto] };
    if (kind === "meld") melds.push([...cards]);
    else if (kind === "lay_off") onto?.push(...cards);
    else if (kind === "take_pile") places = places.filter(([, where]) => where !== "pile");
    else if (kind === "swap" && onto) {
      const place = onto.findIndex((text) => text.split("=")[1] === cardOf(cards[0]));
      const [wild] = place < 0 ? [] : onto.splice(place, 1, cardOf(cards[0]));
      if (wild && wildsStay !== undefined) onto.push(cardOf(wild));
      else if (wild) places.splice(places.findIndex(([card]) => card === cardOf(wild)), 1);
    }
    places.push(...cards.map((text) => [cardOf(text), "turn"]));
    return step;
  });
  return { melds, places, steps };
}

// -- what is shown ---------------------------------------------------------------------------------

const inputOf = (form, card) => form.querySelector(`.c [data-card="${card}"]`);
const face = (form, card) => inputOf(form, card)?.closest(".c").querySelector("b").cloneNode(true) ?? card;
const nameOf = (form, card) => inputOf(form, card)?.getAttribute("aria-label").split(",")[0] ?? card;

function chip(form, text) {
  const [card, stands] = text.split("=");
  const made = make("span", { className: stands ? "k as" : "k", ariaLabel: nameOf(form, card) }, face(form, card));
  made.setAttribute("role", "img");
  if (!stands) return made;
  made.ariaLabel += ` for the ${nameOf(form, stands)}`;
  made.append(" for ", face(form, stands));
  return made;
}
const meld = (form, texts) => make("span", { className: "meld" }, ...texts.flatMap((text) => [chip(form, text), " "]).slice(0, -1));

function press(className, name, value, ...children) {
  const made = make("button", { className, name, value }, ...children);
  made.dataset.outbox = "no";
  return made;
}

function line(form, { kind, cards, onto }, number) {
  const says = make("span", {}, "worded" in form.dataset ? `${WORDS[kind]} ` : "");
  if (cards.length) says.append(meld(form, cards));
  if (onto) says.append(" ", make("small", {}, "on ", meld(form, onto)));
  const out = press("btn plain", "drop", number, "Remove");
  out.ariaLabel = form.dataset.plays.replace("%s", number + 1);
  return make("li", {}, make("div", { className: "row" }, says, out));
}

function target(form, cards, index) {
  const onto = make("span", { className: "vh" }, ` on meld ${index + 1}`);
  return make("div", { className: "row" }, make("span", {}, meld(form, cards)), press("btn quiet", "add", `lay_off ${index}`, "Lay off", onto));
}

function show(form, plays) {
  const { melds, places, steps } = course(form, plays);
  const list = form.querySelector(".steps");
  list.replaceChildren(...steps.map((step, number) => line(form, step, number)));
  list.hidden = !plays.length;
  for (const one of document.querySelectorAll("[data-plays-none]")) one.hidden = plays.length > 0;
  for (const one of document.querySelectorAll("[data-plays-some]")) one.hidden = !plays.length;
  const targets = form.querySelector(".targets");
  for (const row of targets ? [...targets.children].slice(melds.length) : []) row.remove();
  for (const [index, cards] of targets ? melds.entries() : []) {
    const row = targets.children[index];
    if (row) row.firstElementChild.replaceChildren(meld(form, cards));
    else targets.append(target(form, cards, index));
  }
  const lying = new Map();
  for (const [card, where] of places) lying.set(card, [...(lying.get(card) ?? []), where]);
  for (const input of form.querySelectorAll("#cards [data-card]")) {
    const { card } = input.dataset;
    const there = lying.get(card) ?? [];
    const most = Number(card === "XX" ? form.dataset.jokers : form.dataset.packs);
    input.dataset.said ??= input.getAttribute("aria-label").replace(/, taken: .*/, "");
    mark(input, there.length < most ? null : there.at(-1));
  }
}

// -- what is tapped --------------------------------------------------------------------------------

// The address of the form with these plays: there they are after a reload, and where the question is
// opened again. Of a player who can still be chosen here it says nothing unless it has to.
function address(form, isHere) {
  const at = new URL(form.action);
  const isNamed = form.elements.player?.type === "hidden";
  for (const name of ["hand", "player", "ask"]) {
    const value = form.elements[name]?.value;
    if (value && (name !== "player" || isHere || isNamed)) at.searchParams.set(name, value);
  }
  for (const play of playsOf(form)) at.searchParams.append("play", play);
  return at.pathname + at.search;
}

function put(form, plays) {
  for (const field of fields(form)) field.remove();
  form.prepend(...plays.map((value) => make("input", { type: "hidden", name: "play", value })));
  show(form, plays);
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
  const error = make("p", { className: "error", id: "cards-error" }, sentence);
  error.setAttribute("role", "alert");
  form.querySelector("#cards legend").after(error);
  error.scrollIntoView({ block: "center", behavior: "instant" });
}

function wrong(kind, cards, plays) {
  if (plays.length >= MOST) return "No turn has so many plays.";
  if (kind === "take_pile") return "";
  if (!cards.length) return "Tap the cards that were played.";
  return /^(discard|swap)$/.test(kind) && cards.length > 1 ? "That is one card. Tap only that one." : "";
}

function add(form, value) {
  const [kind, onto, end] = value.split(" ");
  const cards = kind === "take_pile" ? [] : ticked(form);
  const plays = playsOf(form);
  const is = wrong(kind, cards, plays);
  say(form, is);
  if (is) return;
  for (const input of cards) input.checked = false;
  const aim = onto === undefined ? [] : ["onto", onto];
  change(form, [...plays, [kind, ...cards.map((input) => input.value), ...aim, end].filter(Boolean).join(" ")]);
}

function drop(form, value) {
  say(form);
  change(form, playsOf(form).filter((_, number) => number !== Number(value)));
}

const isPlay = (press) => /^(add|drop)$/.test(press?.name);

function collect(form, { name, value }) {
  for (const note of document.querySelectorAll("[data-offline]")) note.hidden = false;
  if (name === "add") add(form, value);
  else drop(form, value);
}

document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (form.dataset.plays === undefined) return;
  pressed.set(form, submitter);
  if (!isPlay(submitter) || !isAlone(form)) return;
  event.preventDefault();
  collect(form, submitter);
}, true);

document.addEventListener("reset", ({ target: form }) => form.dataset.plays !== undefined && setTimeout(change, 0, form, []));

everywhere(() => {
  for (const form of document.querySelectorAll("form[data-plays]")) {
    if (built.has(form)) continue;
    built.add(form);
    form.addEventListener("unanswered", (event) => {
      if (!isPlay(pressed.get(form))) return;
      lost.add(form);
      event.preventDefault();
      collect(form, pressed.get(form));
    });
    // A copy of the page, kept without any play, is given for the address with them.
    const named = new URLSearchParams(location.search).getAll("play");
    if ("asOf" in page.dataset && !fields(form).length && named.length) put(form, named.slice(0, MOST));
  }
});
