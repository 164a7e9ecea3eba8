// form[data-steps] > fieldset[data-step="Ana"]: one at a time, under a row of chips. Without scripts all show.
//   data-step-out="field=value"  needs nothing while the form's field has that value, and is skipped
//   data-step-open="word"        then it may still be filled in, and is .caller: its chip says the word
//   data-step-after-out          comes after such a step is filled in, and offers all other seats
//   data-step-only="field=1,3"   is there only while the field, or one of several, has one of these values
//   data-step-aside  on a part of a step: what is entered there does not make the step done
//   data-step-seat="2"           its chip says so while [data-refused="0 2"] on the page names it, and
//                                what [data-asks-below="2"] has in data-says
//   data-step-asks, data-step-over   a question waits in it; too much is entered (see cards.js)
//   data-step-optional           never "missing";  data-step-advance: a tapped radio opens the next
//   form[data-steps-from="out first"]  the seats in these fields come first, then those after the first
//   [data-steps-above]           before the steps: in view whichever of them is open
//   [data-steps-nav="form id"]   gets Back and Next (otherwise the form's end does)
//   [data-steps-save]            the save button: quiet while a step is missing, never disabled
import "./cards.js"; // which sees first what was tapped
import { button, everywhere, gettext, make, on } from "./page.js";

const built = new WeakMap(); // form -> the step that is open, the chip of each step, and the buttons
const entry = /^(text|search|number|tel|email|textarea)$/;
const words = { done: gettext("✓ done"), wrong: gettext("! look"), out: gettext("out"), missing: gettext("missing") };

// Whether a field of the form has one of the values, as "field=1,3 other=yes" says.
export const holds = (form, text) =>
  text.split(" ").some((one) => {
    const [name, values] = one.split("=");
    return values.split(",").includes(form.elements[name]?.value);
  });

// In the order in which they stand now.
const stepsOf = (form) => [...form.querySelectorAll("fieldset[data-step]")];

// The seats whose entries the server would refuse.
const refused = () => document.querySelector("[data-refused]")?.dataset.refused.split(" ") ?? [];

const isOut = (form, { dataset: { stepOut } }) => Boolean(stepOut) && holds(form, stepOut);
const given = (step) => [...step.elements].filter((e) => e.checked || (entry.test(e.type) && e.value.trim()));

// What the server asks about a player's cards, beside what they come to.
const below = (step) => document.querySelector(`[data-asks-below="${step.dataset.stepSeat}"]`);

function stateOf(form, step) {
  if (step.querySelector('[aria-invalid="true"], .error') || refused().includes(step.dataset.stepSeat)) return "wrong";
  const { stepOnly } = step.dataset;
  if (stepOnly && !holds(form, stepOnly)) return "off";
  if ("stepAfterOut" in step.dataset && !stepsOf(form).some((one) => isOut(form, one) && given(one).length)) return "off";
  const out = isOut(form, step);
  if (out && !("stepOpen" in step.dataset)) return "out";
  if (given(step).some((e) => !e.closest("[data-step-aside]"))) {
    if ("stepOver" in step.dataset) return "wrong";
    return step.dataset.stepAsks || below(step) ? "asks" : "done";
  }
  if (out) return "open";
  return "stepOptional" in step.dataset ? "" : "missing";
}

// Where a step comes among the others (see data-steps-from).
function place(form, step) {
  const [out, first] = form.dataset.stepsFrom.split(" ").map((name) => parseInt(form.elements[name]?.value, 10));
  const seat = parseInt(step.dataset.stepSeat, 10);
  if (Number.isNaN(seat)) return "stepAfterOut" in step.dataset ? 1 : -1;
  const round = seat === out ? 0 : seat === first ? 2 : seat < out ? 4 : 3;
  return round + seat / 100;
}

function inOrder(form) {
  if (!form.dataset.stepsFrom || form.elements.by?.value === "points") return; // then all are in view
  const { bar, chips } = built.get(form);
  const before = stepsOf(form);
  const steps = [...before].sort((a, b) => place(form, a) - place(form, b));
  if (steps.every((step, i) => step === before[i])) return;
  steps.reduce((last, step) => (last.after(step), step));
  bar.append(...steps.map((step) => chips.get(step)));
}

// The step after this one, or before it, that can be opened.
function beyond(form, step, by) {
  const steps = stepsOf(form);
  let to = steps.indexOf(step) + by;
  while (steps[to] && /^(out|off)$/.test(stateOf(form, steps[to]))) to += by;
  return steps[to];
}

function offerOthers(form) {
  for (const input of form.querySelectorAll("[data-step-after-out] input")) {
    const out = input.value === form.elements.out.value;
    input.closest("label").hidden = out;
    if (out) input.checked = false;
  }
}

function paint(form) {
  inOrder(form);
  offerOthers(form);
  const { opened, chips, back, next, save } = built.get(form);
  const all = new Map(stepsOf(form).map((step) => [step, stateOf(form, step)]));
  const isMissing = [...all.values()].some((state) => /^(missing|asks)$/.test(state));
  for (const [step, state] of all) {
    const chip = chips.get(step);
    step.hidden = step !== opened;
    step.dataset.state = state;
    step.classList.toggle("caller", "stepOpen" in step.dataset && isOut(form, step));
    chip.className = `chip ${state}`;
    chip.hidden = state === "off";
    if (step === opened) chip.setAttribute("aria-current", "step");
    else chip.removeAttribute("aria-current");
    const { stepOpen: open, stepAsks: asks = below(step)?.dataset.says } = step.dataset;
    chip.lastChild.textContent = { ...words, open, asks }[state] ?? "";
  }
  back.disabled = !beyond(form, opened, -1);
  next.disabled = !beyond(form, opened, 1);
  next.classList.toggle("quiet", next.disabled || !isMissing);
  save?.classList.toggle("quiet", isMissing);
}

function go(form, step, told = true) {
  if (!step) return;
  built.get(form).opened = step;
  paint(form);
  if (!told) return;
  const legend = step.querySelector("legend");
  legend.tabIndex = -1;
  legend.focus({ preventScroll: true });
  built.get(form).bar.scrollIntoView({ behavior: "instant" });
  step.querySelector(".felt")?.scrollIntoView({ block: "nearest", behavior: "instant" }); // all of the pack, above the thumb bar
  below(step)?.scrollIntoView({ block: "center", behavior: "instant" });
}

function build(form) {
  const steps = stepsOf(form);
  if (!steps.length) return;
  const chip = (step) => button("chip", () => go(form, step), make("bdi", {}, step.dataset.step), make("small", {}));
  const chips = new Map(steps.map((step) => [step, chip(step)]));
  const bar = make("div", { className: "chips", "role": "group", "aria-label": gettext("Steps") }, ...chips.values());
  (form.querySelector("[data-steps-above]") ?? steps[0]).before(bar);
  const turn = (by) => () => go(form, beyond(form, built.get(form).opened, by));
  const back = button("btn quiet", turn(-1), gettext("Back"));
  const next = button("btn", turn(1), gettext("Next"));
  const nav = document.querySelector(`[data-steps-nav="${form.id}"]`) ?? form.appendChild(document.createElement("div"));
  nav.hidden = false;
  nav.replaceChildren(back, next);
  built.set(form, { chips, bar, back, next, save: document.querySelector("[data-steps-save]") });
  open(form);
}

// Open the step that wants attention first: a wrong one, else one that is missing or open before it.
function open(form) {
  inOrder(form);
  const steps = stepsOf(form);
  const states = steps.map((step) => stateOf(form, step));
  const first = ["wrong", "asks"].find((state) => states.includes(state)) ?? "missing";
  const at = states.findIndex((state) => state === first || (state === "open" && first === "missing" && states.includes(first)));
  go(form, steps[Math.max(0, at)], false);
}

// What was entered again is no longer what was refused: its error goes, here and in the summary.
function answered(field) {
  const group = field.closest(".field, .choices, .cards");
  const error = group?.querySelector(".error");
  if (!error) return;
  error.remove();
  group.removeAttribute("aria-invalid");
  for (const one of group.querySelectorAll("[aria-invalid]")) one.removeAttribute("aria-invalid");
  const summary = document.querySelector(".summary");
  summary?.querySelector(`a[href="#${error.id.replace(/-error$/, "")}"]`)?.closest("li").remove();
  if (!summary?.querySelector("li")) summary?.remove();
}

const repaint = ({ target }) => {
  const form = target.closest?.("form");
  if (!built.has(form)) return;
  if (target !== form) answered(target);
  const seat = target.closest("[data-step-seat]")?.dataset.stepSeat;
  const list = document.querySelector("[data-refused]"); // of what was entered before
  if (list) list.dataset.refused = refused().filter((one) => one !== seat).join(" ");
  if (target === form) open(form); // a draft was restored
  else paint(form);
};
document.addEventListener("input", repaint);
document.addEventListener("change", repaint);
on("reset", "form[data-steps]", (form) => setTimeout(() => go(form, stepsOf(form)[0], false)));

on("click", "[data-step-advance]", (place, { target, detail }) => {
  const form = place.closest("form");
  const step = place.closest("fieldset[data-step]");
  const isTapped = detail && target.type === "radio"; // arrow keys choose without a tap
  if (!isTapped || !built.has(form) || !step) return;
  inOrder(form);
  if (step === place || step.matches(".asks")) go(form, beyond(form, step, 1));
});

// A link to a field opens the step that it is in, wherever the link is.
on("click", "a[href^='#']", (link, event) => {
  const field = document.getElementById(link.hash.slice(1));
  const step = field?.closest("fieldset[data-step]");
  if (!built.has(step?.form)) return;
  event.preventDefault();
  go(step.form, step, false);
  (field.querySelector("input:enabled") ?? field).focus();
});

everywhere(() => document.querySelectorAll("form[data-steps]").forEach((form) => (built.has(form) ? paint(form) : build(form))));
