// <output data-sum> shows the number of cards checked in its step (or form) and the sum of their
// data-points. data-sum-wild="a Proter left: 20 more" is added while a data-wild card is among
// them. Shown only: the server counts for itself.
import { everywhere } from "./everywhere.js";

function add(output) {
  const checked = [...output.closest("fieldset[data-step], form").querySelectorAll("input[data-points]:checked")];
  const points = checked.reduce((sum, input) => sum + Number(input.dataset.points), 0);
  const parts = [`${checked.length} card${checked.length === 1 ? "" : "s"}`, `${points} point${points === 1 ? "" : "s"}`];
  if (output.dataset.sumWild && checked.some((input) => "wild" in input.dataset)) parts.push(output.dataset.sumWild);
  output.textContent = checked.length ? parts.join(" · ") : "";
}

const all = (root) => root.querySelectorAll("[data-sum]").forEach(add);
document.addEventListener("change", (event) => all(event.target.closest?.("form") ?? event.target));
document.addEventListener("reset", (event) => setTimeout(all, 0, event.target));
everywhere(() => all(document));
