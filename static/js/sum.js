// <output data-sum> shows the number of cards checked in its step (or form) and the sum of their
// data-points. data-sum-wild="+ 20 Proter" is added while a data-wild card is among them.
// data-sum-boxes="Thief|Beggar Man" names the box of one card, of two, … in place of the points.
// data-sum-twice="bent": the points count double while that field of the form is checked.
// data-sum-most="11": so many cards can be left, and one more while the form's "out" is "none".
// .ask in the step is a question that is asked (the step is .asks) from data-ask-from="6" cards to
// data-ask-to="17", and answered while something in it is checked: then as many as that can be left.
// [data-for-cards="6"] in the step is there while so many are checked.
// The step says what waits or is too much: data-step-asks, data-step-over (see steps.js).
// Shown only: the server counts for itself.
import { everywhere } from "./everywhere.js";

const many = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
const isAnswered = (place) => Boolean(place.querySelector(":checked"));

// Whether the question of the step is asked of so many cards, and the word for one that waits.
function question(step, count, spare) {
  const ask = step.querySelector(".ask");
  if (!ask) {
    const named = [...step.querySelectorAll("[data-for-cards] [role=radiogroup]")].find((one) => !one.closest("[data-for-cards]").hidden && !isAnswered(one));
    return [false, named && count ? "suit?" : "", undefined];
  }
  const { askFrom, askTo, ask: word } = ask.dataset;
  const to = askTo ? Number(askTo) + spare : Infinity;
  const byPoints = step.closest("form").elements.by?.value === "points"; // then `ask` shows it
  const asked = !byPoints && count >= Number(askFrom) + spare && (count <= to || isAnswered(ask));
  return [asked, asked && !isAnswered(ask) ? word : "", isAnswered(ask) ? to : undefined];
}

function add(output) {
  const step = output.closest("fieldset[data-step], form");
  const form = output.closest("form");
  const { sumTwice, sumWild, sumMost, sumBoxes } = output.dataset;
  const boxes = sumBoxes?.split("|");
  const checked = [...step.querySelectorAll(`input[data-${boxes ? "card" : "points"}]:checked`)];
  const count = checked.length;
  for (const part of step.querySelectorAll("[data-for-cards]")) part.hidden = Number(part.dataset.forCards) !== count;
  const spare = sumMost && form.elements.out?.value === "none" ? 1 : 0;
  const [asked, waits, allowed] = question(step, count, spare);
  step.classList.toggle("asks", asked);
  step.toggleAttribute("data-step-asks", Boolean(waits));
  if (waits) step.dataset.stepAsks = waits;
  const most = sumMost && !form.elements.table_is_old?.checked ? (sumMost && allowed) || Number(sumMost) + spare : Infinity;
  const box = boxes?.[count - 1] ?? "no box";
  const isOver = boxes ? box === "no box" || box.includes(":") : count > most && !waits;
  step.toggleAttribute("data-step-over", Boolean(count) && isOver);
  const points = checked.reduce((sum, input) => sum + Number(input.dataset.points), 0);
  const twice = sumTwice && form.elements[sumTwice]?.checked;
  const wild = sumWild && checked.some((input) => "wild" in input.dataset);
  const comes = `${many(points, "point")}${wild && !asked ? ` ${sumWild}` : ""}${twice ? `, ×2 is ${2 * points}` : ""}`;
  const parts = [many(count, "card"), boxes ? box : isOver ? `${most} at most` : comes];
  output.textContent = count ? parts.join(" · ") : "";
}

// The step of each seat that [data-asks] names is .asked: the server has a question about it.
function ask() {
  const asked = [...document.querySelectorAll("[data-asks]")].map((link) => link.dataset.asks);
  for (const step of document.querySelectorAll("[data-step-seat]")) step.classList.toggle("asked", asked.includes(step.dataset.stepSeat));
}

const all = (root) => root.querySelectorAll("[data-sum]").forEach(add);
document.addEventListener("change", (event) => all(event.target.closest?.("form") ?? event.target));
document.addEventListener("reset", (event) => setTimeout(all, 0, event.target));
everywhere(() => (all(document), ask()));
