// form[data-melds]: a question about the recorded table, or a play to record on it. While the server does not
// answer, the table here includes the plays that wait on this phone to be recorded or ruled on.
//   data-melds                 the recorded melds: "5C 8H=6C 7C; 9D 9H 9S"
//   data-packs, data-jokers    the numbers of copies of each card and of jokers
//   data-wilds-stay            a wild card that is swapped out stays in its meld
//   data-swaps                 the game has swaps
//   [data-melds-none], [data-melds-some]  show while there is no meld, or some, with the plays of the question
//   [data-swaps-none]          shows while no wild card can be swapped out
//   [data-melds-list]          the melds, each on a line
// The hidden field `lying` tells the server which melds the table here has.
// form[data-plays="Remove play %s"]: the plays of one question. The server collects them one by one; if it
// does not answer, this module does, into the same hidden fields. It knows no rules and accepts any play.
//   data-worded                each play is shown with its kind
//   [data-plays-none], [data-plays-some]  show while there is no play, or some
import * as actions from "./actions.js";
import { markTaken } from "./cards.js";
import { announce, eachNew, everywhere, gettext, grouped, isCopy, make, on, parts, reveal } from "./page.js";

const WORDS = { meld: gettext("Meld"), lay_off: gettext("Lay-off"), swap: gettext("Swap"), discard: gettext("Discard"), take_pile: gettext("Takes the pile") };
const MOST = 20; // plays of one turn
const RECORD_FIRST = gettext("Without a connection, record that meld first."); // only the server adds it
const WHERE = { table: gettext("table"), turn: gettext("turn") }; // the words after "taken: "

const tables = new WeakMap(); // form -> the table with the plays that wait
let isLost = isCopy(); // the server does not answer

// -- the table after plays ---------------------------------------------------------------------------
// A table has `melds`, lists of cards as text ("8H=6C" stands for another card), and `places`: a pair of card
// and place for each card that cannot be played any more. A play is a text: "meld 5C 6C 7C", "lay_off 8C onto
// 0" or "swap 6C onto 0 low".

const cardOf = (text) => text.split("=")[0];
const placed = (cards, where) => cards.map((text) => [cardOf(text), where]);

function recorded(form) {
  const melds = form.dataset.melds.split("; ").filter(Boolean).map((meld) => meld.split(" "));
  return { melds, places: placed(melds.flat(), "table") };
}

const tableOf = (form) => tables.get(form) ?? recorded(form);
const lyingOf = ({ melds }) => melds.map((cards) => cards.join(" ")).join("; ");

// Puts a real card in the place of the wild card that stands for it. If none is known to stand for it, the
// meld's only open wild card does.
function swap(form, card, meld, places) {
  const wilds = meld.filter((text) => isWild(form, text));
  const wild = meld.find((text) => text.split("=")[1] === card) ?? (wilds.length === 1 ? wilds[0] : null);
  if (!wild) return;
  meld[meld.indexOf(wild)] = card;
  const index = places.findIndex(([placedCard]) => placedCard === cardOf(wild));
  if ("wildsStay" in form.dataset) meld.push(cardOf(wild));
  else if (index >= 0) places.splice(index, 1);
}

// The table after these plays, and the plays as `steps` to show. `where` is the place of the played cards.
function tableAfter(form, table, plays, where = "turn") {
  const melds = table.melds.map((meld) => [...meld]);
  const places = [...table.places];
  const steps = plays.map((play) => {
    const [, kind, text, index] = play.match(/^(\w+) ?(.*?)(?: onto (\d+).*)?$/);
    const cards = text.split(" ").filter(Boolean);
    const onto = melds[index];
    const step = { kind, cards, onto: onto && [...onto] };
    if (kind === "meld") melds.push([...cards]);
    else if (kind === "lay_off") onto?.push(...cards);
    else if (kind === "swap" && onto) swap(form, cardOf(cards[0]), onto, places);
    if (kind !== "discard" || where === "turn") places.push(...placed(cards, where));
    return step;
  });
  return { melds, places, steps };
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

const meld = (form, texts) => make("span", { className: "meld" }, ...texts.flatMap((text) => [chip(form, text), " "]).slice(0, -1));
const isWild = (form, text) => !text.includes("=") && inputOf(form, cardOf(text))?.dataset.wild !== undefined;

// -- what waits ------------------------------------------------------------------------------------

const playFields = (form) => [...form.querySelectorAll('input[type=hidden][name="play"]')];
const playsOf = (form) => playFields(form).map(({ value }) => value);

// The text of a play of these cards, from a button's value: "meld", "lay_off 0", "swap 1 low".
function playText(button, cards) {
  const [kind, onto, end] = button.split(" ");
  return [kind, ...(kind === "take_pile" ? [] : cards), ...(onto ? ["onto", onto] : []), end].filter(Boolean).join(" ");
}

// The plays of an action: one that a button adds, or those of a question.
function playsIn(fields) {
  const ask = fields.get("ask");
  const plays = /^(contract|turn)$/.test(ask) ? fields.getAll("play") : [];
  const [swapped, ...swapOnto] = fields.get("swap")?.split(" ") ?? [fields.get("card"), fields.get("onto")];
  const cards = swapped ? [swapped] : fields.getAll("cards");
  const buttons = { meld: "meld", contract: "meld", lay_off: `lay_off ${fields.get("onto") ?? ""}`, swap: `swap ${swapOnto.join(" ")}` };
  const button = fields.get("add") ?? buttons[ask];
  return button && cards.length ? [...plays, playText(button, cards)] : plays;
}

// The recorded table after the actions that wait for the same hand. Disputed melds are on it too, so that
// the marker can ask about them; their cards can still be tapped.
function withWaiting(form, list) {
  let table = recorded(form);
  for (const action of list) {
    const fields = new URLSearchParams(action.fields);
    if (fields.get("hand") !== form.elements.hand?.value) continue;
    if (action.url.endsWith("/throw-in")) table = { melds: [], places: [] };
    if (action.url.endsWith("/table")) table = tableAfter(form, table, playsIn(fields), "table");
    // A ruling that is asked for again: what it put on the table lies there.
    if (action.url.endsWith("/ruling") && !fields.has("instead_of")) table = { ...table, melds: tableAfter(form, table, playsIn(fields)).melds };
  }
  return table;
}

// -- what is shown ---------------------------------------------------------------------------------

const addButton = (value, says, label) => make("button", { className: "btn quiet", name: "add", value, "aria-label": label }, says);

const canSwap = (form, cards) => "swaps" in form.dataset && cards.some((text) => text.includes("=") || isWild(form, text));

function rowWithButtons(form, cards, index) {
  const number = index + 1;
  const buttons = [addButton(`lay_off ${index}`, gettext("Lay off"), gettext("Lay off on meld %(number)s", { number }))];
  if (canSwap(form, cards)) buttons.push(addButton(`swap ${index}`, gettext("Swap"), gettext("Swap into meld %(number)s", { number })));
  if ("plays" in form.dataset) for (const button of buttons) button.dataset.outbox = "no";
  return make("div", { className: "row" }, make("span", {}, meld(form, cards)), ...buttons);
}

function rowWithRadio(form, cards, index, isOnly) {
  const radio = make("input", { type: "radio", name: "onto", value: index, checked: isOnly });
  return make("label", { className: "tile" }, radio, make("span", {}, meld(form, cards)));
}

// Draws a row of `list` for each meld. Rows that exist are kept, with new cards.
function drawRows(form, list, melds, newRow) {
  if (!list) return;
  for (const row of [...list.children].slice(melds.length)) row.remove();
  for (const [index, cards] of melds.entries()) {
    const row = list.children[index];
    if (row) row.querySelector(".meld").replaceWith(meld(form, cards));
    else list.append(newRow(form, cards, index, melds.length === 1));
  }
}

function playLine(form, { kind, cards, onto }, number) {
  const says = make("span", {}, "worded" in form.dataset ? `${WORDS[kind]} ` : "");
  if (cards.length) says.append(meld(form, cards));
  if (onto) says.append(" ", ...parts(gettext("on %(meld)s"), { meld: meld(form, onto) }));
  const label = form.dataset.plays.replace("%s", number + 1);
  const out = make("button", { className: "btn plain", name: "drop", value: number, "data-outbox": "no", "aria-label": label }, gettext("Remove"));
  return make("li", {}, make("div", { className: "row" }, says, out));
}

function drawPlays(form, steps) {
  const list = form.querySelector(".steps");
  list.replaceChildren(...steps.map((step, number) => playLine(form, step, number)));
  list.hidden = !steps.length;
  reveal("[data-plays-none]", !steps.length);
  reveal("[data-plays-some]", steps.length > 0);
}

// Draws the plays of the form, and the melds and taken cards after them.
function draw(form) {
  const table = tableOf(form);
  const { melds, places, steps } = tableAfter(form, table, playsOf(form));
  if ("plays" in form.dataset) drawPlays(form, steps);
  drawRows(form, form.querySelector(".targets"), melds, rowWithButtons);
  drawRows(form, form.querySelector("#onto .tiles"), melds, rowWithRadio);
  const placesOf = grouped(places);
  for (const input of form.querySelectorAll("#cards [data-card], #card [data-card]")) {
    const { card } = input.dataset;
    const taken = placesOf.get(card) ?? [];
    const copies = Number(card === "XX" ? form.dataset.jokers : form.dataset.packs);
    markTaken(input, taken.length < copies ? null : WHERE[taken[taken.length - 1]]);
  }
  reveal("[data-melds-some]", melds.length > 0);
  if (!tables.has(form)) return;
  const before = recorded(form);
  reveal("[data-melds-none]", !melds.length);
  reveal("[data-swaps-none]", !melds.some((cards) => canSwap(form, cards)));
  const line = (cards, index) => {
    const isNew = cards.join(" ") !== before.melds[index]?.join(" ");
    return make("p", {}, meld(form, cards), ...(isNew ? [" ", make("small", {}, gettext("waits"))] : []));
  };
  document.querySelector("[data-melds-list]")?.replaceChildren(...table.melds.map(line));
}

// -- taps ------------------------------------------------------------------------------------------

function setPlays(form, plays) {
  for (const field of playFields(form)) field.remove();
  form.prepend(...plays.map((value) => make("input", { type: "hidden", name: "play", value })));
  draw(form);
}

function change(form, plays) {
  setPlays(form, plays);
  // The plays are in the address, so that a reload keeps them.
  const address = new URL(form.action);
  const hasWaiting = form.elements.lying?.value !== form.dataset.melds;
  const isKept = { hand: "upcoming" in form.dataset, player: true, ask: true, lying: hasWaiting, play: true };
  for (const [name, value] of new FormData(form)) {
    if (value && isKept[name]) address.searchParams.append(name, value);
  }
  history.replaceState(history.state, "", address);
  announce(form);
  scrollTo({ top: 0, behavior: "instant" }); // the list is in view, as on the page that the server gives
}

function say(form, sentence = "") {
  document.getElementById("cards-error")?.remove();
  if (!sentence) return;
  const error = make("p", { className: "error", id: "cards-error", "role": "alert" }, sentence);
  form.querySelector("#cards legend").after(error);
  error.scrollIntoView({ block: "center", behavior: "instant" });
}

// Why a play cannot be added; empty if it can.
function whyNot(kind, cards, plays) {
  if (plays.length >= MOST) return gettext("No turn has that many plays.");
  if (kind === "lies") return RECORD_FIRST;
  if (kind === "take_pile") return "";
  if (!cards.length) return gettext("Tap the cards that were played.");
  return /^(discard|swap)/.test(kind) && cards.length > 1 ? gettext("That is one card. Tap only that one.") : "";
}

// Adds or removes a play, as the server does for this button.
function collect(form, event, press) {
  if (!/^(add|drop)$/.test(press?.name)) return;
  event.preventDefault();
  reveal("[data-offline]");
  const plays = playsOf(form);
  const tapped = press.value === "take_pile" ? [] : [...form.querySelectorAll('[name="cards"]:checked')];
  const cards = tapped.map(({ value }) => value);
  const problem = press.name === "add" ? whyNot(press.value, cards, plays) : "";
  say(form, problem);
  if (problem) return;
  if (press.name === "drop") return change(form, plays.filter((_, number) => number !== Number(press.value)));
  for (const input of tapped) input.checked = false;
  change(form, [...plays, playText(press.value, cards)]);
}

on("submit", "form[data-plays]", (form, event) => isLost && collect(form, event, event.submitter), true);
on("reset", "form[data-plays]", (form) => setTimeout(change, 0, form, []));
on("unanswered", "form[data-plays]", (form, event) => {
  isLost = true;
  collect(form, event, event.detail);
});

on("unanswered", "form[data-melds]:not([data-plays])", (form, event) => {
  if (event.detail?.value !== "lies") return;
  event.preventDefault();
  say(form, RECORD_FIRST);
});

// An old copy of the page was kept without plays: they are in its address.
eachNew("form[data-plays]", (form) => {
  const plays = new URLSearchParams(location.search).getAll("play");
  if (isCopy() && !playFields(form).length && plays.length) setPlays(form, plays.slice(0, MOST));
});

// -- the plays that wait ---------------------------------------------------------------------------

async function includeWaiting() {
  // In games without a table the form has no field `lying`.
  const forms = isLost ? [...document.querySelectorAll("form[data-melds]")].filter((form) => form.elements.lying) : [];
  const list = forms.length ? await actions.waitingIn(document.body.dataset.game) : [];
  for (const form of forms) {
    const table = withWaiting(form, list);
    if (form.elements.lying.value === lyingOf(table)) continue;
    tables.set(form, table);
    form.elements.lying.value = lyingOf(table);
    draw(form);
    announce(form);
  }
}

document.addEventListener("waits", ({ detail }) => {
  isLost ||= detail;
  includeWaiting();
});
everywhere(includeWaiting);
