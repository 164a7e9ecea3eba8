// The form of the end of a hand, form.end. Its steps, each a fieldset[data-step="Ana"], show one at a time
// under a row of chips, one for each step; without scripts all steps show. On a step:
//   data-step-seat="2"           it belongs to the player in seat 2: skipped while the field `out` has that value
//   data-step-open="word"        even then it can be filled in; it gets .caller, and its chip says the word
//   data-step-after-out          it shows once such a step is filled in, and offers all other seats; never "missing"
//   data-step-only="field=1,3"   it shows only while the field, or one of several, has one of these values
//   data-step-asks, data-step-over   it has an open question; it has too many cards (see cards.js)
//   data-step-advance            a tap on a radio button opens the next step
// On other elements:
//   data-step-aside              part of a step: an entry there does not make the step done
//   [data-refused="2"]           the server refuses the entry of seat 2, and its chip says so
//   [data-asks="2"]              the server has a question about seat 2, and its step gets .asked
//   [data-asks-below="2"]        the question itself: the chip says its data-says, a fieldset comes into view
//   form[data-steps-from="out first"]  these two fields name the seats whose steps come first
//   [data-steps-above]           stands above the steps, in view whichever of them is open
//   [data-steps-nav]             gets Back and Next
//   [data-steps-save]            the save button: quiet while a step is missing, never disabled
// When the hand is marked by points, the style sheet shows all players, and the keyboard's next key goes from
// one player's points to the next one's. Touching a player's points chooses this way; tapping who went out
// then leads to the first points. The body is .marks-points meanwhile, and .some-not while a player has not
// melded, for style sheets in browsers without :has.
// On submit data-figures gets a summary, "Ana 57, Ben out", or "Ben: Rummy" with data-called="Rummy". While the
// fields are as data-won="field=1,3 …" says (see data-step-only), the hand wins the game: the marker goes to
// data-won-then, not to data-then (outbox.js).
import { redraw } from "./cards.js"; // first, so that its listeners run before these
import * as actions from "./actions.js";
import { fill, keptNote } from "./draft.js";
import { announce, button, eachNew, everywhere, gettext, make, ngettext, on } from "./page.js";

let form = null; // the form.end of this page
let opened; // the step that is open
let chips; // the chip of each step
let bar; // the row of chips
let back; // the two buttons
let next;
let caller; // who went out, as the form says
const byPoints = () => form.elements.by?.value === "points";
const words = { done: gettext("✓ done"), wrong: gettext("! look"), out: gettext("out"), missing: gettext("missing") };

// -- the state of a step -----------------------------------------------------------------------------

// True if one of these fields has one of its values: "field=1,3 other=yes".
const holds = (text) =>
  text.split(" ").some((one) => {
    const [name, values] = one.split("=");
    return values.split(",").includes(form.elements[name]?.value);
  });

// The steps in their current order.
const allSteps = () => [...form.querySelectorAll("fieldset[data-step]")];

const isOut = ({ dataset: { stepSeat } }) => form.elements.out?.value === stepSeat;
const filledIn = (step) => [...step.elements].filter((e) => e.checked || (e.type === "text" && e.value.trim()));

// The server's remark on a player's entry: "refused", "asks" or "asks-below".
const remark = (kind, step) => document.querySelector(`[data-${kind}="${step.dataset.stepSeat}"]`);

function stateOf(step) {
  if (step.querySelector('[aria-invalid="true"], .error') || remark("refused", step)) return "wrong";
  const { stepOnly } = step.dataset;
  if (stepOnly && !holds(stepOnly)) return "off";
  if ("stepAfterOut" in step.dataset && !allSteps().some((one) => isOut(one) && filledIn(one).length)) return "off";
  const out = isOut(step);
  if (out && !("stepOpen" in step.dataset)) return "out";
  if (filledIn(step).some((e) => !e.closest("[data-step-aside]"))) {
    if ("stepOver" in step.dataset) return "wrong";
    return step.dataset.stepAsks || remark("asks-below", step) ? "asks" : "done";
  }
  if (out) return "open";
  return "stepAfterOut" in step.dataset ? "" : "missing";
}

// -- the order of the steps --------------------------------------------------------------------------

// A number to sort the steps by (see data-steps-from); the other seats follow in order, from `out` on.
function position(step) {
  const [out, first] = form.dataset.stepsFrom.split(" ").map((name) => parseInt(form.elements[name]?.value, 10));
  const seat = parseInt(step.dataset.stepSeat, 10);
  if (Number.isNaN(seat)) return "stepAfterOut" in step.dataset ? 1 : -1;
  const group = seat === out ? 0 : seat === first ? 2 : seat < out ? 4 : 3;
  return group + seat / 100;
}

function sortSteps() {
  if (!form.dataset.stepsFrom || byPoints()) return; // by points all are in view
  const before = allSteps();
  const steps = [...before].sort((a, b) => position(a) - position(b));
  if (steps.every((step, i) => step === before[i])) return;
  steps[0].after(...steps.slice(1));
  bar.append(...steps.map((step) => chips.get(step)));
}

// The next step (by 1) or the previous one (by -1) that can be opened.
function neighbour(by, step = opened) {
  const steps = allSteps();
  let to = steps.indexOf(step) + by;
  while (steps[to] && /^(out|off)$/.test(stateOf(steps[to]))) to += by;
  return steps[to];
}

// -- what is shown -----------------------------------------------------------------------------------

function offerOthers() {
  for (const input of form.querySelectorAll("[data-step-after-out] input")) {
    const hasGoneOut = input.value === form.elements.out.value;
    input.closest("label").hidden = hasGoneOut;
    if (hasGoneOut) input.checked = false;
  }
}

function paint() {
  sortSteps();
  offerOthers();
  const stepStates = new Map(allSteps().map((step) => [step, stateOf(step)]));
  const isMissing = [...stepStates.values()].some((state) => /^(missing|asks)$/.test(state));
  for (const [step, state] of stepStates) {
    const chip = chips.get(step);
    step.hidden = step !== opened;
    step.dataset.state = state;
    step.disabled = state === "out"; // what was entered before is not sent
    step.classList.toggle("caller", "stepOpen" in step.dataset && isOut(step));
    step.classList.toggle("asked", Boolean(remark("asks", step)));
    chip.className = `chip ${state}`;
    chip.hidden = state === "off";
    if (step === opened) chip.setAttribute("aria-current", "step");
    else chip.removeAttribute("aria-current");
    const { stepOpen: open, stepAsks: asks = remark("asks-below", step)?.dataset.says } = step.dataset;
    chip.lastChild.textContent = { ...words, open, asks }[state] ?? "";
  }
  // With a single step there is nothing to go back or on to.
  bar.hidden = back.parentNode.hidden = [...stepStates.values()].filter((state) => state !== "off").length < 2;
  back.disabled = !neighbour(-1);
  next.disabled = !neighbour(1);
  next.classList.toggle("quiet", next.disabled || !isMissing);
  document.querySelector("[data-steps-save]").classList.toggle("quiet", isMissing);
  document.body.classList.toggle("marks-points", byPoints());
  document.body.classList.toggle("some-not", Boolean(form.querySelector('[value="no"]:checked')));
}

function go(step, isFocused = true) {
  if (!step) return;
  opened = step;
  paint();
  if (!isFocused) return;
  const legend = step.querySelector("legend");
  legend.tabIndex = -1;
  legend.focus({ preventScroll: true });
  bar.scrollIntoView({ behavior: "instant" });
  step.querySelector(".felt")?.scrollIntoView({ block: "nearest", behavior: "instant" }); // the whole pack, above the thumb bar
  remark("asks-below", step)?.closest("fieldset")?.scrollIntoView({ block: "center", behavior: "instant" });
}

function build() {
  caller = form.elements.out?.value;
  const steps = allSteps();
  const chip = (step) => button("chip", () => go(step), make("bdi", {}, step.dataset.step), make("small", {}));
  chips = new Map(steps.map((step) => [step, chip(step)]));
  bar = make("div", { className: "chips", "role": "group", "aria-label": gettext("Steps") }, ...chips.values());
  (form.querySelector("[data-steps-above]") ?? steps[0]).before(bar);
  back = button("btn quiet", () => go(neighbour(-1)), gettext("Back"));
  next = button("btn", () => go(neighbour(1)), gettext("Next"));
  document.querySelector("[data-steps-nav]").replaceChildren(back, next);
  openFirst();
}

// Opens the first step that is wrong, else the first one with a question, else the first that is missing or
// that the caller can fill in.
function openFirst() {
  sortSteps();
  const steps = allSteps();
  const states = steps.map(stateOf);
  const first = ["wrong", "asks"].find((state) => states.includes(state)) ?? "missing";
  const at = states.findIndex((state) => state === first || (state === "open" && first === "missing" && states.includes(first)));
  go(steps[Math.max(0, at)], false);
}

everywhere(() => {
  const current = document.querySelector("form.end");
  const isNew = current !== form;
  form = current;
  if (form && isNew) build();
  else if (form) paint();
});

// -- entries -----------------------------------------------------------------------------------------
// A player has either cards or points, perhaps with a box: the last entry removes the other one.
function replace(field) {
  const step = field.closest("[data-step-seat]");
  const points = step?.querySelector(".digits");
  if ((field === points && points.value) || /^box-/.test(field.name)) {
    const cards = [...step.querySelectorAll("[data-card]:checked")];
    for (const card of cards) card.checked = false;
    if (cards.length) announce(cards[0]);
  } else if (field.matches("[data-card]:checked")) points.value = "";
}

// What was said of one who went out is not said of another.
function forget() {
  if (!caller || caller === form.elements.out.value) return;
  for (const said of form.querySelectorAll("[name=out_no_meld], [name=bent], [name=second]")) said.checked = false;
}

on(["input", "change"], "form.end", (_, { target }) => {
  replace(target);
  if (target !== form) forget(); // else a draft was restored, as it was
  caller = form.elements.out?.value;
  const step = target.closest("[data-step-seat]");
  if (step) remark("refused", step)?.removeAttribute("data-refused"); // the entry has changed since
  unsaved?.remove();
  if (target === form) openFirst(); // a draft was restored
  else paint();
});
on("reset", "form.end", () => setTimeout(() => go(allSteps()[0], false)));

on("click", "[data-step-advance]", (place, { target, detail }) => {
  const step = place.closest("fieldset[data-step]");
  const isTapped = detail && target.type === "radio"; // arrow keys choose without a tap
  if (!isTapped || !step) return;
  sortSteps();
  if (step === place || step.matches(".asks")) go(neighbour(1, step));
});

// A link to a field opens the field's step.
on("click", "a[href^='#']", (link, event) => {
  const field = document.getElementById(link.hash.slice(1));
  const step = field?.closest("fieldset[data-step]");
  if (!step) return;
  event.preventDefault();
  go(step, false);
  (field.querySelector("input:enabled") ?? field).focus();
});

// What the server would refuse does not wait for it: by then the cards are in the next hand.
let unsaved = null;

on("unsent", "form.end", (_, event) => {
  const { press, others } = event.detail;
  // What waits can change whose cards count, and how many a player can have.
  const isUnsure = ({ dataset: { stepSeat } }) =>
    others.some(({ url, fields }) => /\/(correct|undo|redo|enforce)$/.test(url) || fields.some(([name, value]) => name === "player" && value === stepSeat));
  const isLacking = (step) => {
    const [state, { stepAsks, stepOver, stepOnly }] = [stateOf(step), step.dataset];
    if (state === "asks") return stepAsks && press?.name !== "rest" && !(step.querySelector("[data-ask-to]") && isUnsure(step));
    if (state === "missing") return stepOnly === undefined || !isUnsure(step);
    return state === "wrong" && stepOver !== undefined && !isUnsure(step);
  };
  const steps = allSteps().filter(isLacking);
  if (!steps.length) return;
  event.preventDefault();
  const names = steps.map(({ dataset }) => dataset.step).join(", ");
  unsaved?.remove();
  unsaved = make("p", { className: "notice bad", "role": "alert" }, gettext("Not saved. Look at: %(names)s.", { names }));
  bar.after(unsaved);
  go(steps[0]);
  unsaved.scrollIntoView({ block: "nearest", behavior: "instant" });
});

// Rounds that wait fill boxes, too: [data-sum-boxes] of cards.js says so, and they are no longer open.
async function fillBoxes() {
  const outputs = [...document.querySelectorAll("form.end [data-sum-boxes]")];
  const waiting = outputs.length ? (await actions.waitingIn(document.body.dataset.game)).filter(actions.isEnd) : [];
  let isChanged = false;
  for (const output of outputs) {
    const step = output.closest("[data-step]");
    const seat = step.dataset.stepSeat;
    const recorded = (output.dataset.recorded ??= output.dataset.sumBoxes);
    const boxes = recorded.split("|");
    for (const fields of waiting.map((action) => new URLSearchParams(action.fields))) {
      const round = fields.get("hand");
      const at = (fields.getAll(`cards-${seat}`).length || Number(fields.get(`box-${seat}`))) - 1;
      const isFilled = round !== form.elements.hand.value && boxes[at] && !boxes[at].includes(":");
      if (isFilled) boxes[at] = gettext("%(box)s: filled in round %(round)s", { box: boxes[at], round });
    }
    if (boxes.join("|") === output.dataset.sumBoxes) continue;
    isChanged = true;
    output.dataset.sumBoxes = boxes.join("|");
    const open = boxes.map((box, at) => (box.includes(":") ? "" : `${box} (${at + 1})`)).filter(Boolean);
    step.querySelector(".hint.by-cards").textContent = open.length ? gettext("Open: %(boxes)s.", { boxes: open.join(", ") }) : "";
    for (const tile of step.querySelectorAll(`[name="box-${seat}"]`)) tile.closest("label").hidden = boxes[tile.value - 1].includes(":");
  }
  if (!isChanged) return;
  redraw();
  paint();
}
document.addEventListener("waits", fillBoxes);
everywhere(fillBoxes);

// A correction that waits is corrected again as it is, and not from what it corrects.
eachNew("form.end[action$='/correct']:not([data-draft-restored])", async (form) => {
  const waiting = await actions.waitingIn(document.body.dataset.game);
  const last = waiting.filter(({ url }) => form.action.endsWith(url)).pop();
  if (!last || form.querySelector(".draft")) return;
  fill(form, last.fields);
  announce(form);
  form.prepend(keptNote());
});

// -- by points ----------------------------------------------------------------------------------------

const shown = () => [...form.querySelectorAll("input.digits")].filter((field) => field.offsetParent);
const toTop = (field) => field.closest("fieldset").scrollIntoView({ behavior: "instant" }); // a keyboard is below

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

// A player's part of the summary: the points that were entered, or the sum of the cards.
function figure(step) {
  const { step: name, stepSeat: seat, stepOnly } = step.dataset;
  const hasNone = isOut(step) ? form.elements.out_no_meld?.checked : form.elements[`melded-${seat}`]?.value === "no";
  const noMeld = hasNone ? gettext("(no meld)") : "";
  const { called } = form.dataset;
  if (isOut(step)) return called ? `${name}: ${called}` : [gettext("%(name)s out", { name }), noMeld].filter(Boolean).join(" ");
  if (stepOnly && !holds(stepOnly)) return "";
  const box = step.querySelector(`[name="box-${seat}"]:checked`)?.labels[0].querySelector("bdi").textContent;
  const cards = step.querySelectorAll("[data-card]:checked").length;
  const sum = step.querySelector("[data-sum]")?.dataset.figure;
  const says = cards ? [sum ?? ngettext("%(number)s card", "%(number)s cards", cards)] : [box, form.elements[`points-${seat}`].value];
  return says.some(Boolean) ? [name, ...says, noMeld].filter(Boolean).join(" ") : "";
}

// Runs before outbox.js reads the form.
on("submit", "form.end", () => {
  const steps = [...form.querySelectorAll("[data-step-seat]")];
  form.dataset.figures = steps.map(figure).filter(Boolean).join(", ");
  const { won, wonThen, then } = form.dataset;
  if (!won) return;
  form.dataset.goesOn ??= then;
  form.dataset.then = holds(won) ? wonThen : form.dataset.goesOn;
}, true);
