// [data-one-pack="1"]: a card checked in one grid is taken in the others, which say by whom (the
// name of the step it is in). data-copies="2" and data-jokers="4": there are so many of each card
// and so many jokers. A card that the server rendered as taken (data-taken) stays taken.
import { everywhere } from "./everywhere.js";

const most = (pack, card) => Number((card === "XX" ? pack.dataset.jokers : pack.dataset.copies) ?? 1);
const nameOf = (input) => input.closest("[data-step]")?.dataset.step ?? "";

export function mark(input, who) {
  const cell = input.closest(".c");
  const told = cell.querySelector("small");
  if ((told?.textContent ?? null) === who) return;
  told?.remove();
  input.dataset.said ??= input.getAttribute("aria-label");
  input.disabled = who !== null;
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
    const gone = held.length >= most(pack, card);
    for (const input of inputs) {
      if (!input.checked) mark(input, gone ? nameOf(held[0]) : null);
      else if (input.disabled) mark(input, null);
    }
  }
}

const again = (event) => {
  const pack = event.target.closest?.('[data-one-pack="1"]');
  if (pack) setTimeout(share, 0, pack);
};
document.addEventListener("change", again);
document.addEventListener("reset", again);
everywhere(() => document.querySelectorAll('[data-one-pack="1"]').forEach(share));
