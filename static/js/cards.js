// Grids of cards: taken cards, several copies on one key, sums, and cards set apart.
import { announce, button, everywhere, gettext, grouped, make, ngettext, on } from "./page.js";

// -- one pack ----------------------------------------------------------------------------------------
// [data-one-pack]: a card that is checked in one grid is taken in the others, which name the player and
// offer to move the card. data-copies="2" and data-jokers="4" are the numbers of copies of each card and of
// jokers. A card that the server rendered as taken (data-taken) stays taken.

// The name of a card, without what markTaken and showCount add to it.
const cardName = (input) => (input.dataset.said ??= input.getAttribute("aria-label"));
const playerOf = (input) => input.closest("[data-step]")?.dataset.step ?? "";

// Marks a card as taken by `holder`, a player or a place; null marks it as free.
export function markTaken(input, holder, canMove = false) {
  const cell = input.closest(".c");
  const note = cell.querySelector("small");
  if ((note?.textContent ?? null) === holder) return;
  note?.remove();
  const card = cardName(input);
  const isTaken = holder !== null;
  input.disabled = isTaken && !canMove;
  input.setAttribute("aria-disabled", isTaken);
  cell.classList.toggle("t", isTaken);
  input.setAttribute("aria-label", isTaken ? [card, gettext("taken: %(name)s", { name: holder })].join(", ") : card);
  if (isTaken) cell.append(make("small", {}, make("bdi", {}, holder)));
}

// A map of each card in a grid or a pack to its inputs.
function byCard(container, filter = "") {
  const inputs = [...container.querySelectorAll(`input[data-card]${filter}`)];
  return grouped(inputs.map((input) => [input.dataset.card, input]));
}

function markPack(pack) {
  for (const [card, inputs] of byCard(pack, ":not([data-taken])")) {
    const copies = Number((card === "XX" ? pack.dataset.jokers : pack.dataset.copies) ?? 1);
    const checked = inputs.filter((input) => input.checked);
    const holder = checked.length >= copies ? playerOf(checked[0]) : null;
    for (const input of inputs) markTaken(input, input.checked ? null : holder, holder !== playerOf(input));
  }
}

// The input of a taken card that can be moved to this cell, and the checked input of its holder.
function movable(cell) {
  const input = cell?.querySelector('[aria-disabled="true"]:enabled');
  return input ? [input, input.closest("[data-one-pack]").querySelector(`[data-card="${input.dataset.card}"]:checked`)] : [];
}

document.addEventListener("click", (event) => {
  const [input, theirs] = movable(event.target.closest?.(".c.t"));
  const offered = document.querySelector(".move");
  if (offered?.contains(event.target)) return;
  offered?.remove();
  if (!input) return;
  event.preventDefault(); // it stays unchecked
  const card = input.closest(".c").querySelector("b").textContent;
  const names = { card, holder: playerOf(theirs), name: playerOf(input) };
  const move = button("btn move", () => {
    theirs.checked = false;
    markTaken(input, null);
    input.checked = true;
    move.remove();
    input.focus({ preventScroll: true });
    for (const moved of [theirs, input]) announce(moved.closest(".cards"));
  }, gettext("%(card)s is with %(holder)s: move it to %(name)s", names));
  input.closest(".cards").before(move);
  move.focus({ preventScroll: true });
});

// Enter would save the form.
on("keydown", ".c.t", (cell, event) => {
  if (event.key !== "Enter" || !movable(cell).length) return;
  event.preventDefault();
  event.target.click();
});

// -- several copies on one key -----------------------------------------------------------------------
// [data-stack]: one key for all copies of a card. A tap takes one copy, or gives all back. Below the grid
// "−" and "+" change the number of copies of the card that was tapped last (data-last).

const stacks = (grid) => [...byCard(grid).values()].filter((copies) => copies.length > 1);
const count = (copies) => copies.filter((input) => input.checked).length;
const lastOf = (grid) => [...grid.querySelectorAll(`input[data-card="${grid.dataset.last}"]`)];
const take = (copies, wanted) => copies.forEach((input, at) => (input.checked = at < wanted));

// Shows the first copy alone, with the number of copies that are taken.
function showCount(copies) {
  const [top, ...others] = copies;
  const taken = count(copies);
  if (taken && !top.checked) take(copies, taken); // a draft may have restored another copy than the first
  for (const input of others) input.closest(".c").hidden = true;
  const cell = top.closest(".c");
  const card = cardName(top);
  cell.querySelector(".times")?.remove();
  if (taken > 1) cell.append(make("span", { className: "times" }, `×${taken}`));
  if (!cell.matches(".t")) top.setAttribute("aria-label", taken > 1 ? [card, gettext("%(number)s of them", { number: taken })].join(", ") : card);
}

// The number of copies that no other player of the form has.
function countFree(copies, grid) {
  const others = grid.closest("[data-one-pack]")?.querySelectorAll(`[data-card="${copies[0].dataset.card}"]:checked`) ?? [];
  return copies.length - [...others].filter((input) => !grid.contains(input)).length;
}

function drawLessAndMore(line) {
  const [less, says, more] = line.children;
  const grid = line.closest("[data-stack]");
  const copies = lastOf(grid);
  const taken = count(copies);
  less.disabled = !taken;
  more.disabled = !taken || taken >= countFree(copies, grid);
  const card = copies[0]?.closest(".c").querySelector("b").textContent;
  says.textContent = taken ? `${card} × ${taken}` : gettext("Two of a card? Tap it, then +");
  less.setAttribute("aria-label", taken ? gettext("One less of %(number)s: %(card)s", { number: taken, card }) : gettext("One less"));
  more.setAttribute("aria-label", taken ? gettext("One more: %(card)s", { card }) : gettext("One more"));
}

on("click", "[data-by]", (press) => {
  const copies = lastOf(press.closest("[data-stack]"));
  take(copies, count(copies) + Number(press.dataset.by));
  announce(copies[1]); // an event of the first copy would count as a tap on the key
});

// In the capture phase, so that sums and drafts see all copies.
on("change", "[data-stack]", (grid, { target: top }) => {
  const copies = stacks(grid).find(([first]) => first === top);
  if (!copies) return;
  take(copies, top.checked ? 1 : 0);
  grid.dataset.last = top.dataset.card;
}, true);

// -- by keyboard -------------------------------------------------------------------------------------
// Arrow keys go from card to card, up and down to the nearest card of the next row.

on("keydown", ".felt", (felt, event) => {
  const { key: arrow, target } = event;
  if (!/^Arrow/.test(arrow)) return;
  event.preventDefault();
  const keys = [...felt.querySelectorAll("input:enabled, button:enabled")].filter((key) => key.offsetParent);
  const by = { ArrowLeft: -1, ArrowRight: 1 }[arrow];
  if (by) return keys[keys.indexOf(target) + by]?.focus();
  const box = (key) => key.getBoundingClientRect();
  const from = box(target);
  const distance = (key) => Math.abs(box(key).top - from.top) * 9 + Math.abs(box(key).left - from.left);
  const isBeyond = (key) => (arrow === "ArrowUp" ? box(key).bottom <= from.top + 1 : box(key).top >= from.bottom - 1);
  const [to] = keys.filter(isBeyond).sort((a, b) => distance(a) - distance(b));
  to?.focus();
});

// -- sums --------------------------------------------------------------------------------------------
// <output data-sum> shows how many cards are checked in its step, and the sum of their data-points. The
// server does not read it: it adds up itself.
//   data-sum-wild="+ 20 Proter"        is appended while a data-wild card is among them
//   data-sum-each                      it is for each of them: "+ 2 × 20 Proter"
//   data-sum-boxes="Thief|Beggar Man"  shows the box of one card, of two, … instead of the points
//   data-sum-twice="bent"              shows the double sum while that field of the form is checked
//   data-sum-once="1,2"                but not if one of these seats went out
//   data-sum-most="11"                 the most cards that can be left; one more if nobody is out
//   .ask                               a question: shown from data-ask-from to data-ask-to cards (the step
//                                      is .asks then); an answer allows data-ask-to cards
//   [data-for-cards="6"]               shows while this number of cards is checked

const isAnswered = (element) => Boolean(element.querySelector(":checked"));

// Whether the step's question is shown, the word for it until it is answered, how many cards an answer allows.
function question(step, count, spare) {
  const ask = step.querySelector(".ask");
  if (!ask) return { isAsked: false };
  const { askFrom, askTo, ask: word } = ask.dataset;
  const to = askTo ? Number(askTo) + spare : Infinity;
  const byPoints = ask.closest("form").elements.by?.value === "points"; // the style sheet shows it then
  const isAsked = !byPoints && count >= Number(askFrom) + spare && (count <= to || isAnswered(ask));
  return isAnswered(ask) ? { isAsked, allowed: to } : { isAsked, waits: isAsked ? word : "" };
}

// The sum in words (`says`) and in short (`figure`), whether the cards are too many, the word for a question.
function inPoints({ form, dataset: { sumTwice, sumOnce, sumWild, sumEach, sumMost } }, step, cards) {
  const spare = sumMost && form.elements.out?.value === "none" ? 1 : 0;
  const { isAsked, waits, allowed } = question(step, cards.length, spare);
  step.classList.toggle("asks", isAsked);
  const most = sumMost && !form.elements.table_is_old?.checked ? (allowed ?? Number(sumMost) + spare) : Infinity;
  if (cards.length > most && !waits) return { says: gettext("%(number)s at most", { number: most }), isOver: true };
  const points = cards.reduce((sum, input) => sum + Number(input.dataset.points), 0);
  const wilds = sumWild && !isAsked ? cards.filter((input) => "wild" in input.dataset).length : 0;
  const forWilds = sumEach !== undefined && wilds > 1 ? sumWild.replace("+", `+ ${wilds} ×`) : sumWild;
  const total = (sum) => {
    const all = wilds ? `${sum} ${forWilds}` : `${sum}`;
    if (!form.elements[sumTwice]?.checked || sumOnce.split(",").includes(form.elements.out.value)) return all;
    return gettext("%(points)s, ×2 is %(twice)s", { points: all, twice: 2 * points });
  };
  return { says: total(ngettext("%(points)s point", "%(points)s points", points, { points })), figure: total(points), waits };
}

function inBox({ dataset }, step, cards) {
  const box = dataset.sumBoxes.split("|")[cards.length - 1];
  const suits = step.querySelector("[data-for-cards]:not([hidden]) [role=radiogroup]");
  const isSuitOpen = suits && !isAnswered(suits);
  const isBoxOpen = !cards.length && step.querySelector(".digits").value && !isAnswered(step.querySelector(".boxes-open"));
  const split = step.querySelector("[data-for-cards]:not([hidden]) [data-split]");
  const apart = split?.value.split(" ").filter(Boolean).length;
  const isSplitOpen = apart && apart !== Number(split.dataset.split);
  const waits = (isSuitOpen && gettext("suit?")) || (isBoxOpen && gettext("box?")) || (isSplitOpen && gettext("split?"));
  return { says: box ?? gettext("no box"), isOver: !box || box.includes(":"), waits };
}

function addUp(output) {
  const step = output.closest("[data-step]");
  const cards = [...step.querySelectorAll("[data-card]:checked")];
  for (const part of step.querySelectorAll("[data-for-cards]")) part.hidden = Number(part.dataset.forCards) !== cards.length;
  const { says, figure = says, isOver, waits } = ("sumBoxes" in output.dataset ? inBox : inPoints)(output, step, cards);
  step.toggleAttribute("data-step-asks", Boolean(waits));
  if (waits) step.dataset.stepAsks = waits;
  step.toggleAttribute("data-step-over", cards.length > 0 && Boolean(isOver));
  output.textContent = cards.length ? [ngettext("%(number)s card", "%(number)s cards", cards.length), says].join(" · ") : "";
  output.dataset.figure = cards.length ? figure : ""; // end.js reads it
}

// -- cards set apart ---------------------------------------------------------------------------------
// input[data-split="5"] has the cards of its step that a player sets apart, as text. The .apart after it
// shows the cards as keys to tap instead.

const isPressed = (key) => key.getAttribute("aria-pressed") === "true";
const write = (field, keys) => (field.value = keys.filter(isPressed).map((key) => key.value).join(" "));

function drawApart(apart) {
  const field = apart.previousElementSibling.querySelector("[data-split]");
  const left = field.value.toUpperCase().split(/[\s,]+/).filter(Boolean);
  const keys = [...field.closest("[data-step]").querySelectorAll("input[data-card]:checked")].map((input) => {
    const at = left.indexOf(input.dataset.card);
    if (at >= 0) left.splice(at, 1);
    const press = ({ currentTarget: key }) => {
      key.setAttribute("aria-pressed", !isPressed(key));
      write(field, [...key.parentElement.children]);
      announce(field);
    };
    const aria = { "aria-label": input.getAttribute("aria-label").replace(/,.*/, ""), "aria-pressed": at >= 0 };
    return make("button", { type: "button", className: "k", value: input.dataset.card, onclick: press, ...aria }, input.nextElementSibling.cloneNode(true));
  });
  apart.replaceChildren(...keys);
  write(field, keys);
}

// -- drawing -----------------------------------------------------------------------------------------

const sumUp = () => document.querySelectorAll("[data-sum]").forEach(addUp);

export function redraw() {
  const each = (selector, work) => document.querySelectorAll(selector).forEach(work);
  each("[data-one-pack]", markPack);
  each("[data-stack]", (grid) => stacks(grid).forEach(showCount));
  each(".copies", drawLessAndMore);
  each(".apart", drawApart);
  sumUp();
}
// When a card is set apart, its key, which has the focus, is not replaced.
document.addEventListener("change", ({ target }) => (target.matches("[data-split]") ? sumUp() : redraw()));
document.addEventListener("reset", () => setTimeout(redraw));
everywhere(redraw);
