// <output data-sum> shows the number of cards checked in its step (or form) and the sum of their
// data-points. data-sum-wild="+ 20 Proter" is added while a data-wild card is among
// them; data-sum-ask="6" asks for the meld while so many are checked and nobody has said (a radio
// in [data-step-aside]). data-sum-boxes="Thief|Beggar Man" names the box of one card, of two, … in
// place of the points. [data-for-cards="6"] in the step is there while so many are checked.
// data-sum-twice="bent": the points count double while that field of the form is checked.
// Shown only: the server counts for itself.
import { everywhere } from "./everywhere.js";

function add(output) {
  const step = output.closest("fieldset[data-step], form");
  const boxes = output.dataset.sumBoxes?.split("|");
  const checked = [...step.querySelectorAll(`input[data-${boxes ? "card" : "points"}]:checked`)];
  for (const part of step.querySelectorAll("[data-for-cards]")) part.hidden = Number(part.dataset.forCards) !== checked.length;
  const points = checked.reduce((sum, input) => sum + Number(input.dataset.points), 0);
  const { sumAsk, sumTwice, sumWild } = output.dataset;
  const twice = sumTwice && output.closest("form").elements[sumTwice]?.checked;
  const wild = sumWild && checked.some((input) => "wild" in input.dataset);
  const cards = `${checked.length} card${checked.length === 1 ? "" : "s"}`;
  const parts = boxes ? [cards, boxes[checked.length - 1] ?? "no box"] : [cards, `${points} point${points === 1 ? "" : "s"}${wild ? ` ${sumWild}` : ""}${twice ? `, ×2 is ${2 * points}` : ""}`];
  if (sumAsk && checked.length >= sumAsk && !step.querySelector("[data-step-aside] :checked")) parts.unshift("meld?");
  output.textContent = checked.length ? parts.join(" · ") : "";
}

const all = (root) => root.querySelectorAll("[data-sum]").forEach(add);
document.addEventListener("change", (event) => all(event.target.closest?.("form") ?? event.target));
document.addEventListener("reset", (event) => setTimeout(all, 0, event.target));
everywhere(() => all(document));
