// The form of the end of a hand, form.end. Its fieldset[data-step="Ana"] show one at a time, under a row
// of chips; without scripts all show.
//   data-step-seat="2"           is the player's in that seat: skipped while the field `out` has that value
//   data-step-open="word"        then it may still be filled in, and is .caller: its chip says the word
//   data-step-after-out          comes after such a step is filled in, and offers all other seats; never "missing"
//   data-step-only="field=1,3"   is there only while the field, or one of several, has one of these values
//   data-step-aside  on a part of a step: what is entered there does not make the step done
//   [data-refused="2"]           the server refuses what is entered of that seat, whose chip says so
//   [data-asks="2"]              it asks something about it: its step is .asked
//   [data-asks-below="2"]        it asks it there: the chip says what that has in data-says;
//                                a fieldset that asks comes into view, too
//   data-step-asks, data-step-over   a question waits in it; too much is entered (see cards.js)
//   data-step-advance            a tapped radio opens the next
//   form[data-steps-from="out first"]  the seats in these fields come first, then those after the first
//   [data-steps-above]           before the steps: in view whichever of them is open
//   [data-steps-nav]             gets Back and Next
//   [data-steps-save]            the save button: quiet while a step is missing, never disabled
// Marked by points, all players are in view (the style sheet sees to that), and the keyboard's next key
// goes from one player's points to the next one's. Touching the points of a player chooses that way of
// marking; tapping who went out then leads to the first points. The body is .marks-points while that way
// is chosen, and .some-not while somebody has not melded, for style sheets in browsers without :has.
// What it says of each player, in few words, is in data-figures when it is sent: "Ana 57, Ben out".
//   data-won="field=1,3 …"  so the hand wins the game (as data-step-only says it), and the marker goes
//   data-won-then="/address" on there while that waits, and not where data-then says (see outbox.js)
import "./cards.js"; // which sees first what was tapped
import { announce, button, everywhere, gettext, make, ngettext, on } from "./page.js";

let form = null; // the form.end of this page
let opened; // its step that is open
let chips; // the chip of each step
let bar; // where they are
let back;
let next;
const byPoints = () => form.elements.by?.value === "points";
const words = { done: gettext("✓ done"), wrong: gettext("! look"), out: gettext("out"), missing: gettext("missing") };

// -- the state of a step -----------------------------------------------------------------------------

// Whether a field of the form has one of the values, as "field=1,3 other=yes" says.
const holds = (text) =>
  text.split(" ").some((one) => {
    const [name, values] = one.split("=");
    return values.split(",").includes(form.elements[name]?.value);
  });

// In the order in which they stand now.
const allSteps = () => [...form.querySelectorAll("fieldset[data-step]")];

const isOut = ({ dataset: { stepSeat } }) => form.elements.out?.value === stepSeat;
const given = (step) => [...step.elements].filter((e) => e.checked || (e.type === "text" && e.value.trim()));

// Where the server says something about what is entered of a player: "refused", "asks", "asks-below".
const said = (what, step) => document.querySelector(`[data-${what}="${step.dataset.stepSeat}"]`);

function stateOf(step) {
  if (step.querySelector('[aria-invalid="true"], .error') || said("refused", step)) return "wrong";
  const { stepOnly } = step.dataset;
  if (stepOnly && !holds(stepOnly)) return "off";
  if ("stepAfterOut" in step.dataset && !allSteps().some((one) => isOut(one) && given(one).length)) return "off";
  const out = isOut(step);
  if (out && !("stepOpen" in step.dataset)) return "out";
  if (given(step).some((e) => !e.closest("[data-step-aside]"))) {
    if ("stepOver" in step.dataset) return "wrong";
    return step.dataset.stepAsks || said("asks-below", step) ? "asks" : "done";
  }
  if (out) return "open";
  return "stepAfterOut" in step.dataset ? "" : "missing";
}

// -- the order of the steps --------------------------------------------------------------------------

// Where a step comes among the others (see data-steps-from).
function position(step) {
  const [out, first] = form.dataset.stepsFrom.split(" ").map((name) => parseInt(form.elements[name]?.value, 10));
  const seat = parseInt(step.dataset.stepSeat, 10);
  if (Number.isNaN(seat)) return "stepAfterOut" in step.dataset ? 1 : -1;
  const round = seat === out ? 0 : seat === first ? 2 : seat < out ? 4 : 3;
  return round + seat / 100;
}

function inOrder() {
  if (!form.dataset.stepsFrom || byPoints()) return; // then all are in view
  const before = allSteps();
  const steps = [...before].sort((a, b) => position(a) - position(b));
  if (steps.every((step, i) => step === before[i])) return;
  steps.reduce((last, step) => (last.after(step), step));
  bar.append(...steps.map((step) => chips.get(step)));
}

// The step after a step, or before it, that can be opened.
function beyond(by, step = opened) {
  const steps = allSteps();
  let to = steps.indexOf(step) + by;
  while (steps[to] && /^(out|off)$/.test(stateOf(steps[to]))) to += by;
  return steps[to];
}

// -- what is shown -----------------------------------------------------------------------------------

function offerOthers() {
  for (const input of form.querySelectorAll("[data-step-after-out] input")) {
    const out = input.value === form.elements.out.value;
    input.closest("label").hidden = out;
    if (out) input.checked = false;
  }
}

function paint() {
  inOrder();
  offerOthers();
  const all = new Map(allSteps().map((step) => [step, stateOf(step)]));
  const isMissing = [...all.values()].some((state) => /^(missing|asks)$/.test(state));
  for (const [step, state] of all) {
    const chip = chips.get(step);
    step.hidden = step !== opened;
    step.dataset.state = state;
    step.classList.toggle("caller", "stepOpen" in step.dataset && isOut(step));
    step.classList.toggle("asked", Boolean(said("asks", step)));
    chip.className = `chip ${state}`;
    chip.hidden = state === "off";
    if (step === opened) chip.setAttribute("aria-current", "step");
    else chip.removeAttribute("aria-current");
    const { stepOpen: open, stepAsks: asks = said("asks-below", step)?.dataset.says } = step.dataset;
    chip.lastChild.textContent = { ...words, open, asks }[state] ?? "";
  }
  // Of a hand that ends with one question there is nothing to go back or on to.
  bar.hidden = back.parentNode.hidden = [...all.values()].filter((state) => state !== "off").length < 2;
  back.disabled = !beyond(-1);
  next.disabled = !beyond(1);
  next.classList.toggle("quiet", next.disabled || !isMissing);
  document.querySelector("[data-steps-save]").classList.toggle("quiet", isMissing);
  document.body.classList.toggle("marks-points", byPoints());
  document.body.classList.toggle("some-not", Boolean(form.querySelector('[value="no"]:checked')));
}

function go(step, told = true) {
  if (!step) return;
  opened = step;
  paint();
  if (!told) return;
  const legend = step.querySelector("legend");
  legend.tabIndex = -1;
  legend.focus({ preventScroll: true });
  bar.scrollIntoView({ behavior: "instant" });
  step.querySelector(".felt")?.scrollIntoView({ block: "nearest", behavior: "instant" }); // all of the pack, above the thumb bar
  said("asks-below", step)?.closest("fieldset")?.scrollIntoView({ block: "center", behavior: "instant" });
}

function build() {
  const steps = allSteps();
  const chip = (step) => button("chip", () => go(step), make("bdi", {}, step.dataset.step), make("small", {}));
  chips = new Map(steps.map((step) => [step, chip(step)]));
  bar = make("div", { className: "chips", "role": "group", "aria-label": gettext("Steps") }, ...chips.values());
  (form.querySelector("[data-steps-above]") ?? steps[0]).before(bar);
  back = button("btn quiet", () => go(beyond(-1)), gettext("Back"));
  next = button("btn", () => go(beyond(1)), gettext("Next"));
  document.querySelector("[data-steps-nav]").replaceChildren(back, next);
  open();
}

// Open the step that wants attention first: a wrong one, else one that is missing or open before it.
function open() {
  inOrder();
  const steps = allSteps();
  const states = steps.map(stateOf);
  const first = ["wrong", "asks"].find((state) => states.includes(state)) ?? "missing";
  const at = states.findIndex((state) => state === first || (state === "open" && first === "missing" && states.includes(first)));
  go(steps[Math.max(0, at)], false);
}

everywhere(() => {
  const there = document.querySelector("form.end");
  const isNew = there !== form;
  form = there;
  if (form && isNew) build();
  else if (form) paint();
});

// -- what is entered ---------------------------------------------------------------------------------
// A player has cards or points: what was entered last.
function replace(field) {
  const step = field.closest("[data-step-seat]");
  const points = step?.querySelector(".digits");
  if (field === points && points.value) {
    const cards = [...step.querySelectorAll("[data-card]:checked")];
    for (const card of cards) card.checked = false;
    if (cards.length) announce(cards[0]);
  } else if (field.matches("[data-card]:checked")) points.value = "";
}

const repaint = ({ target }) => {
  if (!form || target.closest?.("form") !== form) return;
  replace(target);
  const step = target.closest("[data-step-seat]");
  if (step) said("refused", step)?.removeAttribute("data-refused"); // that was entered before
  if (target === form) open(); // a draft was restored
  else paint();
};
document.addEventListener("input", repaint);
document.addEventListener("change", repaint);
on("reset", "form.end", () => setTimeout(() => go(allSteps()[0], false)));

on("click", "[data-step-advance]", (place, { target, detail }) => {
  const step = place.closest("fieldset[data-step]");
  const isTapped = detail && target.type === "radio"; // arrow keys choose without a tap
  if (!isTapped || !step) return;
  inOrder();
  if (step === place || step.matches(".asks")) go(beyond(1, step));
});

// A link to a field opens the step that it is in, wherever the link is.
on("click", "a[href^='#']", (link, event) => {
  const field = document.getElementById(link.hash.slice(1));
  const step = field?.closest("fieldset[data-step]");
  if (!step) return;
  event.preventDefault();
  go(step, false);
  (field.querySelector("input:enabled") ?? field).focus();
});

// -- by points ----------------------------------------------------------------------------------------

const shown = () => [...form.querySelectorAll("input.digits")].filter((field) => field.offsetParent);
const toTop = (field) => field.closest("fieldset").scrollIntoView({ behavior: "instant" }); // a keyboard takes the rest

on("focusin", ".end .digits", (field) => {
  if (byPoints()) return;
  form.elements.by.value = "points";
  announce(form.elements.by[0]);
  toTop(field);
});

on("keydown", ".end .digits", (field, event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  const fields = shown();
  const save = [...document.querySelectorAll(`button[form="${form.id}"]`)].find((press) => press.offsetParent);
  (fields[fields.indexOf(field) + 1] ?? save)?.focus();
});

on("click", "form.end [name=out]", (_, { detail }) => {
  if (!detail || !byPoints()) return;
  const [first] = shown();
  first?.focus();
  if (first && matchMedia("(pointer: coarse)").matches) toTop(first);
});

// The points of a player as they were entered, or what the cards that were tapped come to.
function figure(step) {
  const { step: name, stepSeat: seat, stepOnly } = step.dataset;
  const hasNone = isOut(step) ? form.elements.out_no_meld?.checked : form.elements[`melded-${seat}`]?.value === "no";
  const noMeld = hasNone ? gettext("(no meld)") : "";
  if (isOut(step)) return [gettext("%(name)s out", { name }), noMeld].filter(Boolean).join(" ");
  if (stepOnly && !holds(stepOnly)) return "";
  const box = step.querySelector(`[name="box-${seat}"]:checked`)?.labels[0].querySelector("bdi").textContent;
  const cards = step.querySelectorAll("[data-card]:checked").length;
  const sum = step.querySelector("[data-sum]")?.dataset.figure;
  const says = byPoints() ? [box, form.elements[`points-${seat}`].value] : [sum ?? (cards && ngettext("%(number)s card", "%(number)s cards", cards))];
  return says.some(Boolean) ? [name, ...says, noMeld].filter(Boolean).join(" ") : "";
}

// Before it is read by what keeps it.
on("submit", "form.end", () => {
  const steps = [...form.querySelectorAll("[data-step-seat]")];
  form.dataset.figures = steps.map(figure).filter(Boolean).join(", ");
  const { won, wonThen, then } = form.dataset;
  if (!won) return;
  form.dataset.goesOn ??= then;
  form.dataset.then = holds(won) ? wonThen : form.dataset.goesOn;
}, true);
