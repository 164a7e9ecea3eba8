// <output data-sum> shows the number of cards checked in its step (or form) and the sum of their
// data-points. data-sum-wild="+ 20 Proter" is added while a data-wild card is among
// them; data-sum-ask="6" asks for the meld while so many are checked and nobody has said (a radio
// in [data-step-aside]). Shown only: the server counts for itself.
import { everywhere } from "./everywhere.js";

function add(output) {
  const step = output.closest("fieldset[data-step], form");
  const checked = [...step.querySelectorAll("input[data-points]:checked")];
  const points = checked.reduce((sum, input) => sum + Number(input.dataset.points), 0);
  const { sumAsk, sumWild } = output.dataset;
  const wild = sumWild && checked.some((input) => "wild" in input.dataset);
  const parts = [`${checked.length} card${checked.length === 1 ? "" : "s"}`, `${points} point${points === 1 ? "" : "s"}${wild ? ` ${sumWild}` : ""}`];
  if (sumAsk && checked.length >= sumAsk && !step.querySelector("[data-step-aside] :checked")) parts.unshift("meld?");
  output.textContent = checked.length ? parts.join(" · ") : "";
}

const all = (root) => root.querySelectorAll("[data-sum]").forEach(add);
document.addEventListener("change", (event) => all(event.target.closest?.("form") ?? event.target));
document.addEventListener("reset", (event) => setTimeout(all, 0, event.target));
everywhere(() => all(document));
