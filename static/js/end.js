// form.end: marked by points, all players are in view (the style sheet sees to that), and the
// keyboard's next key goes from one player's points to the next one's. Touching the points of a
// player chooses that way of marking; tapping who went out then leads to the first points.
//   data-won="field=1,3 …"  so the hand wins the game (as data-step-only says it), and the marker goes
//   data-won-then="/address" on there while that waits, and not where data-then says (see outbox.js)
// What it says of each player, in few words, is in data-figures when it is sent: "Ana 57, Ben out".
// The body is .marks-points while that way is chosen, and .some-not while somebody has not melded, for
// style sheets in browsers without :has.
import { everywhere, gettext, ngettext, on } from "./page.js";
import { holds } from "./steps.js"; // which answers a tap first

const shown = (form) => [...form.querySelectorAll("input.digits")].filter((field) => field.offsetParent);
const toTop = (field) => field.closest("fieldset").scrollIntoView({ behavior: "instant" }); // a keyboard takes the rest
const byPoints = (form) => form.elements.by?.value === "points";

function tell() {
  const form = document.querySelector("form.end");
  document.body.classList.toggle("marks-points", Boolean(form && byPoints(form)));
  document.body.classList.toggle("some-not", Boolean(form?.querySelector('[value="no"]:checked')));
}
document.addEventListener("change", tell);
document.addEventListener("reset", () => setTimeout(tell));
everywhere(tell);

on("focusin", ".end .digits", (field) => {
  const { form } = field;
  if (byPoints(form)) return;
  form.elements.by.value = "points";
  form.elements.by[0].dispatchEvent(new Event("change", { bubbles: true }));
  toTop(field);
});

on("keydown", ".end .digits", (field, event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  const fields = shown(field.form);
  const save = [...document.querySelectorAll(`button[form="${field.form.id}"]`)].find((press) => press.offsetParent);
  (fields[fields.indexOf(field) + 1] ?? save)?.focus();
});

on("click", "form.end [name=out]", ({ form }, { detail }) => {
  if (!detail || !byPoints(form)) return;
  const [first] = shown(form);
  first?.focus();
  if (first && matchMedia("(pointer: coarse)").matches) toTop(first);
});

// The points of a player as they were entered, or what the cards that were tapped come to.
function figure(form, step) {
  const { step: name, stepSeat: seat, stepOnly } = step.dataset;
  if (form.elements.out?.value === seat) return gettext("%(name)s out", { name });
  if (stepOnly && !holds(form, stepOnly)) return "";
  const box = step.querySelector(`[name="box-${seat}"]:checked`)?.labels[0].querySelector("bdi").textContent;
  const cards = step.querySelectorAll("[data-card]:checked").length;
  const sum = step.querySelector("[data-sum]")?.dataset.figure;
  const says = byPoints(form) ? [box, form.elements[`points-${seat}`].value] : [sum ?? (cards && ngettext("%(number)s card", "%(number)s cards", cards))];
  return says.some(Boolean) ? [name, ...says].filter(Boolean).join(" ") : "";
}

// Before it is read by what keeps it.
on("submit", "form.end", (form) => {
  const steps = [...form.querySelectorAll("[data-step-seat]")];
  form.dataset.figures = steps.map((step) => figure(form, step)).filter(Boolean).join(", ");
  const { won, wonThen, then } = form.dataset;
  if (!won) return;
  form.dataset.goesOn ??= then;
  form.dataset.then = holds(form, won) ? wonThen : form.dataset.goesOn;
}, true);
