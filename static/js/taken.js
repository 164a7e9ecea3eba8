// [data-one-pack="1"]: a card checked in one grid is taken in the others, which say by whom (the
// name of the step it is in). data-copies="2" and data-jokers="4": there are so many of each card
// and so many jokers. A card that the server rendered as taken (data-taken) stays taken. A tap, Enter
// or Space on one that another player has offers to move it.
import { everywhere } from "./everywhere.js";

const most = (pack, card) => Number((card === "XX" ? pack.dataset.jokers : pack.dataset.copies) ?? 1);
const nameOf = (input) => input.closest("[data-step]")?.dataset.step ?? "";

export function mark(input, who, canMove = false) {
  const cell = input.closest(".c");
  const told = cell.querySelector("small");
  if ((told?.textContent ?? null) === who) return;
  told?.remove();
  input.dataset.said ??= input.getAttribute("aria-label");
  input.disabled = who !== null && !canMove;
  input.setAttribute("aria-disabled", who !== null);
  cell.classList.toggle("t", who !== null);
  input.setAttribute("aria-label", input.dataset.said + (who === null ? "" : `, taken: ${who}`));
  if (who === null) return;
  const small = document.createElement("small");
  const name = document.createElement("bdi");
  name.textContent = who;
  small.append(name);
  cell.append(small);
}

function share(pack) {
  const cards = new Map();
  for (const input of pack.querySelectorAll("input[data-card]:not([data-taken])")) {
    cards.set(input.dataset.card, [...(cards.get(input.dataset.card) ?? []), input]);
  }
  for (const [card, inputs] of cards) {
    const held = inputs.filter((input) => input.checked);
    const has = held.length >= most(pack, card) ? held[0] : null;
    for (const input of inputs) {
      const isGone = has && !input.checked;
      mark(input, isGone ? nameOf(has) : null, isGone && nameOf(has) !== nameOf(input));
    }
  }
}

const offer = () => document.querySelector(".move")?.remove();

// The card of this cell that can be moved here, and the same card where another player has it.
function taken(cell) {
  const input = cell?.querySelector('[aria-disabled="true"]:enabled');
  return input ? [input, input.closest("[data-one-pack]").querySelector(`[data-card="${input.dataset.card}"]:checked`)] : [];
}

document.addEventListener("click", (event) => {
  const [input, has] = taken(event.target.closest?.(".c.t"));
  if (event.target.closest?.(".move")) return;
  offer();
  if (!input) return;
  event.preventDefault(); // it stays unchecked
  const move = document.createElement("button");
  move.type = "button";
  move.className = "btn move";
  const card = input.closest(".c").querySelector("b").textContent;
  move.textContent = `${card} is with ${nameOf(has)}: move it to ${nameOf(input)}`;
  move.addEventListener("click", () => {
    has.checked = false;
    mark(input, null);
    input.checked = true;
    offer();
    input.focus({ preventScroll: true });
    for (const one of [has, input]) one.closest(".cards").dispatchEvent(new Event("change", { bubbles: true }));
  });
  input.closest(".cards").before(move);
  move.focus({ preventScroll: true });
});

// Enter would save the form.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !taken(event.target.closest?.(".c.t")).length) return;
  event.preventDefault();
  event.target.click();
});

const again = (event) => {
  const pack = event.target.closest?.('[data-one-pack="1"]');
  if (pack) setTimeout(share, 0, pack);
};
document.addEventListener("change", again);
document.addEventListener("reset", again);
everywhere(() => document.querySelectorAll('[data-one-pack="1"]').forEach(share));
