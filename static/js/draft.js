// form[data-draft="name"]: a half-filled form is kept on this phone, as a draft, until the server has it.
//   [data-last-key]               keys, separated by spaces, that the server has: their drafts are dropped
//   data-draft-restored="no"      the server has filled the form in; the draft does not replace that
//   data-draft-fresh="/address"   where "Start over" leads (default: this page)
//   a[data-cancel="form id"]      a link that leaves the form and drops its draft
//   data-draft-page="name"        the field that says which page this is: a draft of another one leads there
//   data-draft-base="fresh"       the page shows all that the entry depends on: its `key` and `base` stay
// Of hidden fields only `key` and `base` are restored: a form sent again is the same action. A fieldset
// that is added to the form later is restored then. Safari's engine empties fields with autocomplete="off"
// on a page that comes back, some time after "pageshow": so no field has it while the page is left.
import { announce, button, eachNew, everywhere, gettext, grouped, make, on, quietly, wasOpened } from "./page.js";

const PREFIX = "draft:";
const TWO_WEEKS = 14 * 24 * 3600 * 1000;
const late = new WeakMap(); // form -> the draft's fields that the form does not have yet
let unfilled = []; // the elements that had autocomplete="off" when the page was left

const read = (key) => quietly(() => JSON.parse(localStorage.getItem(key)));
export const drop = (form) => quietly(() => localStorage.removeItem(PREFIX + form.dataset.draft));
const write = (name, draft) => quietly(() => localStorage.setItem(PREFIX + name, JSON.stringify({ at: Date.now(), ...draft })) ?? true);
const isRestored = ({ type, name, form }) => type !== "hidden" || (/^(key|base)$/.test(name) && form.dataset.draftBase !== "fresh");
const entered = (form) => [...new FormData(form)].filter(([name, value]) => name !== "csrf_token" && typeof value === "string");

function keep(form, fields = entered(form)) {
  const key = fields.find(([name]) => name === "key")?.[1];
  if (write(form.dataset.draft, { key, fields })) tell(form);
}

// Makes a hand's end that waits (see actions.js) the draft of its form again. Returns the form's address; null
// if this browser cannot keep the draft.
export function draftAgain({ draft, fields, url }) {
  const address = url.includes("?") ? url : `${url}?hand=${new URLSearchParams(fields).get("hand")}`; // of an upcoming hand
  return write(draft, { fields }) && address;
}

// The note that an entry is on this phone alone.
export const keptNote = (...inside) => make("p", { className: "draft", "role": "status" }, gettext("Kept on this phone – not yet saved"), ...inside);

function tell(form, top = false) {
  if (form.querySelector(".draft")) return;
  const startOver = () => {
    drop(form);
    location.assign(form.dataset.draftFresh ?? location.pathname + location.search);
  };
  const note = keptNote(button("btn plain", startOver, gettext("Start over")));
  // On top only when the page opens: later it would move what the thumb is about to tap.
  if (top) form.prepend(note);
  else form.append(note);
}

// Fills in a form, or a fieldset that was added later.
export function fill(form, fields) {
  const values = grouped(fields);
  for (const field of form.elements) {
    const kept = values.get(field.name);
    if (!field.name || /^(submit|button|file|fieldset|output)$/.test(field.type)) continue;
    if (/^(checkbox|radio)$/.test(field.type)) {
      const at = kept?.indexOf(field.value) ?? -1;
      field.checked = at >= 0;
      if (at >= 0) kept.splice(at, 1); // each copy of a card is checked once
    } else if (kept?.length && isRestored(field)) {
      if (field.value !== kept[0]) field.closest("details")?.setAttribute("open", "");
      field.value = kept.shift();
    }
  }
}

function fillLate(form) {
  const kept = late.get(form) ?? [];
  const fields = kept.map(([name]) => form.elements.namedItem(name)); // a list, if several have the name
  const added = fields.map((field) => (field?.[0] ?? field)?.closest("fieldset")).filter(Boolean);
  if (!added.length) return;
  late.set(form, kept.filter(([name]) => !added.some((fieldset) => fieldset.elements.namedItem(name))));
  for (const fieldset of new Set(added)) fill(fieldset, kept);
  announce(form);
}

function restore(form) {
  if (form.dataset.draftRestored === "no") return keep(form);
  const draft = read(PREFIX + form.dataset.draft);
  if (!draft?.fields || JSON.stringify(draft.fields) === JSON.stringify(entered(form))) return;
  const { draftPage: page } = form.dataset;
  const of = page && draft.fields.find(([name]) => name === page)?.[1];
  if (of && !location.search && of !== form.elements[page].value) return location.replace(`?${new URLSearchParams({ [page]: of })}`);
  // What the address fills in goes before the draft, but not on a reload: it may have been changed since.
  const said = new URLSearchParams(wasOpened() ? location.search : "");
  const ofAddress = entered(form).filter(([name]) => said.has(name));
  const fields = [...draft.fields.filter(([name]) => !said.has(name)), ...ofAddress];
  late.set(form, fields.filter(([name]) => !form.elements.namedItem(name)));
  quietly(() => fill(form, fields));
  announce(form);
  tell(form, true);
  if (ofAddress.length) keep(form, fields);
}

function sweep() {
  const saved = new Set([...document.querySelectorAll("[data-last-key]")].flatMap((e) => e.dataset.lastKey.split(" ")));
  for (const key of Object.keys(localStorage)) {
    if (!key.startsWith(PREFIX)) continue;
    const draft = read(key);
    if (!draft || saved.has(draft.key) || Date.now() - draft.at > TWO_WEEKS) localStorage.removeItem(key);
  }
}

on(["input", "change"], "*", (field) => {
  const form = field.form ?? field.closest("form"); // a field may stand outside of its form
  if (form?.dataset.draft && field !== form) keep(form); // an event of the form itself: a script filled it
});
on("reset", "form[data-draft]", (form) => {
  drop(form);
  form.querySelector(".draft")?.remove();
});
on("click", "a[data-cancel]", (link) => drop(document.getElementById(link.dataset.cancel)));
addEventListener("pagehide", () => {
  unfilled = document.querySelectorAll("form[data-draft][autocomplete=off], form[data-draft] [autocomplete=off]");
  for (const element of unfilled) element.autocomplete = "on";
});
addEventListener("pageshow", () => unfilled.forEach((element) => (element.autocomplete = "off")));
everywhere(() => quietly(sweep));
eachNew("form[data-draft]", restore);
everywhere(() => document.querySelectorAll("form[data-draft]").forEach(fillLate));
