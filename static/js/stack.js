// [data-stack]: a grid with several copies of a card shows one key for them all. Each tap takes one
// more of those that are free; after the last the next tap gives them all back. How many are taken
// stands on the key, and a tap on that number gives one back. Without scripts every copy is a key.
import { everywhere } from "./everywhere.js";

function stacks(grid) {
  const cards = new Map();
  for (const input of grid.querySelectorAll("input[data-card]")) {
    cards.set(input.dataset.card, [...(cards.get(input.dataset.card) ?? []), input]);
  }
  return [...cards.values()].filter((copies) => copies.length > 1);
}

function tell(copies) {
  const [top, ...others] = copies;
  const taken = copies.filter((input) => input.checked).length;
  if (taken && !top.checked) {
    // What was restored may be any of them; the key that is seen is the first.
    copies.forEach((input, at) => (input.checked = at < taken));
  }
  for (const input of others) input.closest(".c").hidden = true;
  const cell = top.closest(".c");
  top.dataset.before = taken;
  const said = (top.dataset.said ?? top.getAttribute("aria-label")).replace(/, \d+ of them$/, "");
  let less = cell.querySelector(".less");
  if (taken > 1) {
    if (!less) {
      less = document.createElement("button");
      less.type = "button";
      less.className = "less";
      less.addEventListener("click", () => giveBack(copies));
      cell.append(less);
    }
    less.textContent = `−×${taken}`;
    less.setAttribute("aria-label", `One less of ${taken}: ${said}`);
  } else less?.remove();
  if (!cell.matches(".t")) top.setAttribute("aria-label", taken > 1 ? `${said}, ${taken} of them` : said);
}

function giveBack(copies) {
  const taken = copies.filter((input) => input.checked).length;
  copies.forEach((input, at) => (input.checked = at < taken - 1));
  tell(copies);
  copies[1].dispatchEvent(new Event("change", { bubbles: true })); // not of the key: that adds one
  copies[0].focus();
}

// How many of the copies no other player of the form has.
function freeOf(copies, grid) {
  const others = grid.closest('[data-one-pack="1"]')?.querySelectorAll(`[data-card="${copies[0].dataset.card}"]:checked`) ?? [];
  return copies.length - [...others].filter((input) => !grid.contains(input)).length;
}

// Before anything else hears of the change, so that sums and drafts see all copies.
document.addEventListener(
  "change",
  (event) => {
    const top = event.target;
    const grid = top.closest?.("[data-stack]");
    if (!grid) return;
    if (top === grid) return stacks(grid).forEach(tell); // a card was moved (see taken.js)
    if (!top.dataset.card) return;
    const copies = stacks(grid).find((stack) => stack[0] === top);
    if (!copies) return;
    const before = Number(top.dataset.before ?? 0);
    const now = before < freeOf(copies, grid) ? before + 1 : 0;
    copies.forEach((input, at) => (input.checked = at < now));
    tell(copies);
  },
  true,
);
const all = () => document.querySelectorAll("[data-stack]").forEach((grid) => stacks(grid).forEach(tell));
document.addEventListener("change", (event) => event.target.tagName === "FORM" && setTimeout(all, 0));
document.addEventListener("reset", () => setTimeout(all, 0));
everywhere(all);
