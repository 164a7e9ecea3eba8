// Grids of cards: what is taken, several copies on one key, what they come to, and cards set apart.
import { announce, button, everywhere, gettext, grouped, make, ngettext, on } from "./page.js";

// -- one pack ----------------------------------------------------------------------------------------
// [data-one-pack]: a card checked in one grid is taken in the others, which say by whom and offer to
// move it. data-copies="2" and data-jokers="4": so many of each card and so many jokers there are. What
// the server rendered as taken (data-taken) stays so.

// What a card is called, whatever is said beside it.
const saidOf = (input) => (input.dataset.said ??= input.getAttribute("aria-label"));
const nameOf = (input) => input.closest("[data-step]")?.dataset.step ?? "";

export function markTaken(input, who, canMove = false) {
  const cell = input.closest(".c");
  const told = cell.querySelector("small");
  if ((told?.textContent ?? null) === who) return;
  told?.remove();
  const card = saidOf(input);
  input.disabled = who !== null && !canMove;
  input.setAttribute("aria-disabled", who !== null);
  cell.classList.toggle("t", who !== null);
  input.setAttribute("aria-label", who === null ? card : [card, gettext("taken: %(name)s", { name: who })].join(", "));
  if (who !== null) cell.append(make("small", {}, make("bdi", {}, who)));
}

// The inputs of each card in a grid or a pack.
function byCard(place, which = "") {
  const inputs = [...place.querySelectorAll(`input[data-card]${which}`)];
  return grouped(inputs.map((input) => [input.dataset.card, input]));
}

function takeFrom(pack) {
  for (const [card, inputs] of byCard(pack, ":not([data-taken])")) {
    const most = Number((card === "XX" ? pack.dataset.jokers : pack.dataset.copies) ?? 1);
    const held = inputs.filter((input) => input.checked);
    const has = held.length >= most ? held[0] : null;
    for (const input of inputs) {
      const isGone = has && !input.checked;
      markTaken(input, isGone ? nameOf(has) : null, isGone && nameOf(has) !== nameOf(input));
    }
  }
}

// The card of this cell that can be moved here, and the same card where another player has it.
function movable(cell) {
  const input = cell?.querySelector('[aria-disabled="true"]:enabled');
  return input ? [input, input.closest("[data-one-pack]").querySelector(`[data-card="${input.dataset.card}"]:checked`)] : [];
}

document.addEventListener("click", (event) => {
  const [input, has] = movable(event.target.closest?.(".c.t"));
  const offered = document.querySelector(".move");
  if (offered?.contains(event.target)) return;
  offered?.remove();
  if (!input) return;
  event.preventDefault(); // it stays unchecked
  const card = input.closest(".c").querySelector("b").textContent;
  const says = { card, holder: nameOf(has), name: nameOf(input) };
  const move = button("btn move", () => {
    has.checked = false;
    markTaken(input, null);
    input.checked = true;
    move.remove();
    input.focus({ preventScroll: true });
    for (const one of [has, input]) announce(one.closest(".cards"));
  }, gettext("%(card)s is with %(holder)s: move it to %(name)s", says));
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
// [data-stack]: one key for all copies of a card. A tap takes one, or gives all back. Below the grid "−"
// and "+" change how many there are of the card that was tapped last (data-last).

const stacks = (grid) => [...byCard(grid).values()].filter((copies) => copies.length > 1);
const count = (copies) => copies.filter((input) => input.checked).length;
const lastOf = (grid) => [...grid.querySelectorAll(`input[data-card="${grid.dataset.last}"]`)];
const take = (copies, wanted) => copies.forEach((input, at) => (input.checked = at < wanted));

function tell(copies) {
  const [top, ...others] = copies;
  const taken = count(copies);
  if (taken && !top.checked) take(copies, taken); // what was restored may be any of them; the first is seen
  for (const input of others) input.closest(".c").hidden = true;
  const cell = top.closest(".c");
  const said = saidOf(top);
  cell.querySelector(".times")?.remove();
  if (taken > 1) cell.append(make("span", { className: "times" }, `×${taken}`));
  if (!cell.matches(".t")) top.setAttribute("aria-label", taken > 1 ? [said, gettext("%(number)s of them", { number: taken })].join(", ") : said);
}

// How many of the copies no other player of the form has.
function freeOf(copies, grid) {
  const others = grid.closest("[data-one-pack]")?.querySelectorAll(`[data-card="${copies[0].dataset.card}"]:checked`) ?? [];
  return copies.length - [...others].filter((input) => !grid.contains(input)).length;
}

function tellLine(line) {
  const [less, says, more] = line.children;
  const grid = line.closest("[data-stack]");
  const copies = lastOf(grid);
  const taken = count(copies);
  less.disabled = !taken;
  more.disabled = !taken || taken >= freeOf(copies, grid);
  const card = copies[0]?.closest(".c").querySelector("b").textContent;
  says.textContent = taken ? `${card} × ${taken}` : gettext("Two of a card? Tap it, then +");
  less.setAttribute("aria-label", taken ? gettext("One less of %(number)s: %(card)s", { number: taken, card }) : gettext("One less"));
  more.setAttribute("aria-label", taken ? gettext("One more: %(card)s", { card }) : gettext("One more"));
}

function change(grid, by) {
  const copies = lastOf(grid);
  take(copies, count(copies) + by);
  announce(copies[1]); // not of the key: that is a tap
}

on("click", "[data-by]", (press) => change(press.closest("[data-stack]"), Number(press.dataset.by)));

// Before anything else hears of the change, so that sums and drafts see all copies.
on("change", "[data-stack]", (grid, { target: top }) => {
  const copies = stacks(grid).find(([first]) => first === top);
  if (!copies) return;
  take(copies, top.checked ? 1 : 0);
  grid.dataset.last = top.dataset.card;
}, true);

// -- by keyboard -------------------------------------------------------------------------------------
// Arrow keys go from card to card, up and down by as many as there are in a row.

on("keydown", ".felt", (felt, event) => {
  const { key: arrow, target } = event;
  if (!/^Arrow/.test(arrow)) return;
  event.preventDefault();
  const keys = [...felt.querySelectorAll("input:enabled, button:enabled")].filter((key) => key.offsetParent);
  const by = { ArrowLeft: -1, ArrowRight: 1 }[arrow];
  if (by) return keys[keys.indexOf(target) + by]?.focus();
  const box = (key) => key.getBoundingClientRect();
  const from = box(target);
  const far = (key) => Math.abs(box(key).top - from.top) * 9 + Math.abs(box(key).left - from.left);
  const isThere = (key) => (arrow === "ArrowUp" ? box(key).bottom <= from.top + 1 : box(key).top >= from.bottom - 1);
  const [to] = keys.filter(isThere).sort((one, other) => far(one) - far(other));
  to?.focus();
});

// -- what they come to -------------------------------------------------------------------------------
// <output data-sum> shows how many cards are checked in its step and the sum of their data-points. Shown only: the server counts for itself.
//   data-sum-wild="+ 20 Proter"        is added while a data-wild card is among them
//   data-sum-boxes="Thief|Beggar Man"  names the box of one card, of two, … in place of the points
//   data-sum-twice="bent"              counts double while that field of the form is checked
//   data-sum-most="11"                 so many cards can be left, and one more if nobody is out
//   .ask                               is asked from data-ask-from to data-ask-to cards (the step is .asks);
//                                      answered, as many as that can be left
//   [data-for-cards="6"]               is there while so many are checked

const isAnswered = (place) => Boolean(place.querySelector(":checked"));

// The question of the step: whether it is asked of so many cards, the word for it while it waits, and how
// many cards an answer allows.
function question(step, count, spare) {
  const ask = step.querySelector(".ask");
  if (!ask) return { isAsked: false };
  const { askFrom, askTo, ask: word } = ask.dataset;
  const to = askTo ? Number(askTo) + spare : Infinity;
  const byPoints = ask.closest("form").elements.by?.value === "points"; // then the style sheet shows it
  const isAsked = !byPoints && count >= Number(askFrom) + spare && (count <= to || isAnswered(ask));
  return isAnswered(ask) ? { isAsked, allowed: to } : { isAsked, waits: isAsked ? word : "" };
}

// What cards come to, in words and in few words, whether they are too many, and the word for what waits.
function inPoints({ form, dataset: { sumTwice, sumWild, sumMost } }, step, cards) {
  const spare = sumMost && form.elements.out?.value === "none" ? 1 : 0;
  const { isAsked, waits, allowed } = question(step, cards.length, spare);
  step.classList.toggle("asks", isAsked);
  const most = sumMost && !form.elements.table_is_old?.checked ? (allowed ?? Number(sumMost) + spare) : Infinity;
  if (cards.length > most && !waits) return { says: gettext("%(number)s at most", { number: most }), isOver: true };
  const points = cards.reduce((sum, input) => sum + Number(input.dataset.points), 0);
  const hasWild = sumWild && !isAsked && cards.some((input) => "wild" in input.dataset);
  const comes = (sum) => {
    const all = hasWild ? `${sum} ${sumWild}` : `${sum}`;
    if (!sumTwice || !form.elements[sumTwice]?.checked) return all;
    return gettext("%(points)s, ×2 is %(twice)s", { points: all, twice: 2 * points });
  };
  return { says: comes(ngettext("%(points)s point", "%(points)s points", points, { points })), figure: comes(points), waits };
}

function inBox({ dataset }, step, cards) {
  const box = dataset.sumBoxes.split("|")[cards.length - 1];
  const suits = step.querySelector("[data-for-cards]:not([hidden]) [role=radiogroup]");
  return { says: box ?? gettext("no box"), isOver: !box || box.includes(":"), waits: suits && !isAnswered(suits) ? gettext("suit?") : "" };
}

function add(output) {
  const step = output.closest("[data-step]");
  const cards = [...step.querySelectorAll("[data-card]:checked")];
  for (const part of step.querySelectorAll("[data-for-cards]")) part.hidden = Number(part.dataset.forCards) !== cards.length;
  const { says, figure = says, isOver, waits } = ("sumBoxes" in output.dataset ? inBox : inPoints)(output, step, cards);
  step.toggleAttribute("data-step-asks", Boolean(waits));
  if (waits) step.dataset.stepAsks = waits;
  step.toggleAttribute("data-step-over", cards.length > 0 && Boolean(isOver));
  output.textContent = cards.length ? [ngettext("%(number)s card", "%(number)s cards", cards.length), says].join(" · ") : "";
  output.dataset.figure = cards.length ? figure : ""; // in few words: see end.js
}

// -- set apart ---------------------------------------------------------------------------------------
// input[data-split="5"]: which of the cards tapped in its step a player sets apart, as text. The cards
// themselves are tapped in its place, in the .apart after it.

const isPressed = (key) => key.getAttribute("aria-pressed") === "true";
const write = (field, keys) => (field.value = keys.filter(isPressed).map((key) => key.value).join(" "));

function split(place) {
  const field = place.previousElementSibling.querySelector("[data-split]");
  const left = field.value.toUpperCase().split(/[\s,]+/).filter(Boolean);
  const keys = [...field.closest("[data-step]").querySelectorAll("input[data-card]:checked")].map((input) => {
    const at = left.indexOf(input.dataset.card);
    if (at >= 0) left.splice(at, 1);
    const press = ({ currentTarget: key }) => {
      key.setAttribute("aria-pressed", !isPressed(key));
      write(field, [...key.parentElement.children]);
      announce(field);
    };
    const says = { "aria-label": input.getAttribute("aria-label").replace(/,.*/, ""), "aria-pressed": at >= 0 };
    return make("button", { type: "button", className: "k", value: input.dataset.card, onclick: press, ...says }, input.nextElementSibling.cloneNode(true));
  });
  place.replaceChildren(...keys);
  write(field, keys);
}

// -- when --------------------------------------------------------------------------------------------

function redraw() {
  const each = (what, work) => document.querySelectorAll(what).forEach(work);
  each("[data-one-pack]", takeFrom);
  each("[data-stack]", (grid) => stacks(grid).forEach(tell));
  each(".copies", tellLine);
  each("[data-sum]", add);
  each(".apart", split);
}
// A key that is tapped to set a card apart keeps the focus.
document.addEventListener("change", ({ target }) => target.matches("[data-split]") || redraw());
document.addEventListener("reset", () => setTimeout(redraw));
everywhere(redraw);
