// form[data-melds]: a question on the recorded table, or what puts a play on it. Where the server does
// not answer, what waits on this phone to be recorded there, or to be ruled on, is counted in.
//   data-melds, data-pile      what is recorded: "5C 8H=6C 7C; 9D 9H 9S", "4C QS"
//   data-packs, data-jokers    so many of each card there are
//   data-wilds-stay            a wild card that is swapped out stays in its meld
//   data-swaps                 cards can be swapped out of melds
//   [data-melds-none], [data-melds-some], [data-swaps-none]  show while that is so
//   [data-melds-list]          the melds, each on a line
// The hidden field `lying` tells the server which melds were counted with.
import * as actions from "./actions.js";
import { markTaken } from "./cards.js";
import { everywhere, gettext, grouped, make, parts, reveal } from "./page.js";

// -- what lies there after plays ---------------------------------------------------------------------
// Bookkeeping alone: no rule is known here. `melds` are of cards as text ("8H=6C" stands for another),
// `pile` has the top card last, `places` says of every card where it lies, `steps` are the plays as shown.

const cardOf = (text) => text.split("=")[0];

// As "taken: …" says it.
const WHERE = { table: gettext("table"), pile: gettext("pile"), turn: gettext("turn") };

const lie = (cards, where) => cards.map((text) => [cardOf(text), where]);

// The table as it is recorded, from the form's data-melds ("5C 8H=6C 7C; 9D 9H 9S") and data-pile.
function recorded({ melds: laid, pile: lying }) {
  const melds = laid.split("; ").filter(Boolean).map((meld) => meld.split(" "));
  const pile = lying.split(" ").filter(Boolean);
  return { melds, pile, places: [...lie(melds.flat(), "table"), ...lie(pile, "pile")] };
}

// Where in a meld the wild card is that a real one replaces. In a meld that nobody has ruled on it is the
// only one there.
function standIn(meld, card, isWild) {
  const named = meld.findIndex((text) => text.split("=")[1] === card);
  const free = meld.flatMap((text, at) => (isWild(text) ? [at] : []));
  return named >= 0 || free.length !== 1 ? named : free[0];
}

// What lies there after `plays` ("meld 5C 6C 7C", "lay_off 8C onto 0", "swap 6C onto 0 low"), whose cards
// are then `where`.
function course(table, plays, { where = "turn", wildsStay = false, isWild = () => false } = {}) {
  const melds = table.melds.map((meld) => [...meld]);
  let { pile, places } = { pile: [...table.pile], places: [...table.places] };
  const steps = plays.map((play) => {
    const [kind, ...rest] = play.split(" ");
    const at = rest.indexOf("onto");
    const cards = at < 0 ? rest : rest.slice(0, at);
    const onto = at < 0 ? undefined : melds[rest[at + 1]];
    const step = { kind, cards, onto: onto && [...onto] };
    if (kind === "meld") melds.push([...cards]);
    else if (kind === "lay_off") onto?.push(...cards);
    else if (kind === "discard") pile.push(...cards);
    else if (kind === "take_pile") {
      pile = [];
      places = places.filter(([, lies]) => lies !== "pile");
    } else if (kind === "swap" && onto) {
      const place = standIn(onto, cardOf(cards[0]), isWild);
      const [wild] = place < 0 ? [] : onto.splice(place, 1, cardOf(cards[0]));
      const lies = places.findIndex(([card]) => wild && card === cardOf(wild));
      if (wild && wildsStay) onto.push(cardOf(wild));
      else if (lies >= 0) places.splice(lies, 1);
    }
    places.push(...lie(cards, kind === "discard" && where === "table" ? "pile" : where));
    return step;
  });
  return { melds, pile, places, steps };
}

// -- cards as the server shows them ------------------------------------------------------------------

const inputOf = (form, card) => form.querySelector(`#cards [data-card="${card}"]`);
const face = (form, card) => inputOf(form, card)?.closest(".c").querySelector("b").cloneNode(true) ?? card;
const nameOf = (form, card) => inputOf(form, card)?.getAttribute("aria-label").split(",")[0] ?? card;

function chip(form, text) {
  const [card, stands] = text.split("=");
  const name = nameOf(form, card);
  if (!stands) return make("span", { className: "k", "role": "img", "aria-label": name }, face(form, card));
  const label = gettext("%(card)s for the %(other)s", { card: name, other: nameOf(form, stands) });
  const faces = parts(gettext("%(card)s for %(other)s"), { card: face(form, card), other: face(form, stands) });
  return make("span", { className: "k as", "role": "img", "aria-label": label }, ...faces);
}

export const meld = (form, texts) => make("span", { className: "meld" }, ...texts.flatMap((text) => [chip(form, text), " "]).slice(0, -1));
const isWild = (form, text) => !text.includes("=") && inputOf(form, cardOf(text))?.dataset.wild !== undefined;

const page = document.documentElement;
const counted = new WeakMap(); // form -> the table with what waits
let isLost = "asOf" in page.dataset;

export const playsOf = (form) => [...form.querySelectorAll('input[type=hidden][name="play"]')].map(({ value }) => value);
const rules = (form) => ({ wildsStay: form.dataset.wildsStay !== undefined, isWild: (text) => isWild(form, text) });
const text = (melds) => melds.map((cards) => cards.join(" ")).join("; ");

// The table that the form's own plays come to.
export const comesTo = (form) => course(counted.get(form) ?? recorded(form.dataset), playsOf(form), rules(form));

// -- what waits ------------------------------------------------------------------------------------

// A play as it is written: "lay_off 8C onto 0", "swap 6C onto 0 low".
export const played = (kind, cards, onto, end) => [kind, ...cards, ...(onto ? ["onto", onto] : []), end].filter(Boolean).join(" ");

// The plays of an action: of a button (add), of a question about one or several.
function playsIn(fields) {
  const [ask, add, swap] = ["ask", "add", "swap"].map((name) => fields.get(name));
  const cards = fields.has("card") ? [fields.get("card")] : fields.getAll("cards");
  if (add) {
    const [kind, onto, end] = add.split(" ");
    return [played(kind, kind === "take_pile" ? [] : cards, onto, end)];
  }
  if (ask === "swap" && swap) {
    const [card, onto, end] = swap.split(" ");
    return [played("swap", [card], onto, end)];
  }
  if (/^(meld|lay_off|swap)$/.test(ask)) return cards.length ? [played(ask, cards, fields.get("onto"), fields.get("joker_to"))] : [];
  const last = ask === "contract" && cards.length ? [played("meld", cards)] : [];
  return /^(turn|contract)$/.test(ask) ? [...fields.getAll("play"), ...last] : [];
}

// The recorded table, and after it what waits for the same hand. Melds in dispute lie there too, so
// that one can ask about them; their cards can still be tapped.
function withWaiting(form, list) {
  const hand = form.elements.hand?.value;
  let table = recorded(form.dataset);
  for (const action of list) {
    const fields = new URLSearchParams(action.fields);
    if (action.game !== document.body.dataset.game || fields.get("hand") !== hand || action.refused || action.done) continue;
    if (action.url.endsWith("/throw-in")) table = { melds: [], pile: [], places: [] };
    else if (action.url.endsWith("/table")) {
      const top = fields.get("top");
      if (!top) table = course(table, playsIn(fields), { ...rules(form), where: "table" });
      else table = { ...table, pile: top === "none" ? [] : [top] };
    } else if (action.url.endsWith("/ruling")) table = { ...table, melds: course(table, playsIn(fields), rules(form)).melds };
  }
  return table;
}

// -- what is shown ---------------------------------------------------------------------------------

const press = (value, says, label) => make("button", { className: "btn quiet", name: "add", value, "aria-label": label }, says);

const canSwap = (form, cards) => "swaps" in form.dataset && cards.some((one) => one.includes("=") || isWild(form, one));

function target(form, cards, index) {
  const number = index + 1;
  const buttons = [press(`lay_off ${index}`, gettext("Lay off"), gettext("Lay off on meld %(number)s", { number }))];
  if (canSwap(form, cards)) buttons.push(press(`swap ${index}`, gettext("Swap"), gettext("Swap into meld %(number)s", { number })));
  if ("plays" in form.dataset) for (const one of buttons) one.dataset.outbox = "no";
  return make("div", { className: "row" }, make("span", {}, meld(form, cards)), ...buttons);
}

function choice(form, cards, index, isOnly) {
  const radio = make("input", { type: "radio", name: "onto", value: index, checked: isOnly });
  return make("label", { className: "tile" }, radio, make("span", {}, meld(form, cards)));
}

// One child of `list` for each meld: those that are there are kept, with their cards as they lie now.
function each(form, list, melds, make) {
  if (!list) return;
  for (const row of [...list.children].slice(melds.length)) row.remove();
  for (const [index, cards] of melds.entries()) {
    const row = list.children[index];
    if (row) row.querySelector(".meld").replaceWith(meld(form, cards));
    else list.append(make(form, cards, index, melds.length === 1));
  }
}

function pileLine(form, pile) {
  const line = document.querySelector(".pileline");
  if (!line) return;
  const lies = [gettext("empty"), gettext("on top"), gettext("the last one on top")][Math.min(pile.length, 2)];
  const values = { cards: meld(form, pile.slice(-2)), says: make("small", {}, lies) };
  const says = pile.length ? gettext("Pile: %(cards)s %(says)s") : gettext("Pile: %(says)s");
  line.replaceChildren(...parts(says, values), " ", ...line.querySelectorAll("button"));
}

// The melds, the pile and the cards of the form, as its plays leave them.
export function draw(form) {
  const table = counted.get(form) ?? recorded(form.dataset);
  const { melds, places } = comesTo(form);
  each(form, form.querySelector(".targets"), melds, target);
  each(form, form.querySelector("#onto .tiles"), melds, choice);
  const lying = grouped(places);
  for (const input of form.querySelectorAll("#cards [data-card], #card [data-card]")) {
    const { card } = input.dataset;
    const there = lying.get(card) ?? [];
    const most = Number(card === "XX" ? form.dataset.jokers : form.dataset.packs);
    markTaken(input, there.length < most ? null : WHERE[there[there.length - 1]]);
  }
  if (!counted.has(form)) return;
  const was = recorded(form.dataset);
  if (text([table.pile]) !== text([was.pile])) pileLine(form, table.pile);
  reveal("[data-melds-none]", !melds.length);
  reveal("[data-melds-some]", melds.length > 0);
  reveal("[data-swaps-none]", !melds.some((cards) => canSwap(form, cards)));
  const line = (cards, index) => {
    const isNew = cards.join(" ") !== was.melds[index]?.join(" ");
    return make("p", {}, meld(form, cards), ...(isNew ? [" ", make("small", {}, gettext("waits"))] : []));
  };
  document.querySelector("[data-melds-list]")?.replaceChildren(...table.melds.map(line));
}

async function count() {
  // Where melds do not lie on a table, the form has no such field, and there is nothing to count in.
  const forms = isLost ? [...document.querySelectorAll("form[data-melds]")].filter((form) => form.elements.lying) : [];
  const list = forms.length ? await actions.all() : [];
  for (const form of forms) {
    const [before, table] = [counted.get(form) ?? recorded(form.dataset), withWaiting(form, list)];
    if (JSON.stringify(before) === JSON.stringify(table)) continue;
    counted.set(form, table);
    form.elements.lying.value = text(table.melds);
    draw(form);
    form.dispatchEvent(new Event("lying", { bubbles: true }));
    form.dispatchEvent(new Event("change", { bubbles: true })); // for whoever draws the grid
  }
}

document.addEventListener("waits", ({ detail }) => {
  isLost = isLost || detail;
  count();
});
everywhere(count);
