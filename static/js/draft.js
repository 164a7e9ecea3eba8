// form[data-draft="name"]: what is half entered is kept on this phone until the server has it.
//   [data-last-key]               keys (with spaces) that the server has: their drafts are dropped
//   data-draft-restored="no"      the server put the entries back itself; nothing is restored over them
//   data-draft-fresh="/address"   where "Start over" goes (else: the form as the server gave it)
//   a[data-cancel="form id"]      leaves the form: its draft is dropped
//   data-draft-base="fresh"       the page shows all that the entry depends on: `key` and `base` are its own
// Hidden fields are not restored but for `key` and `base`: sent again, it is the same action. Boxes of a
// fieldset that comes later are restored when it comes. Safari's engine empties what has autocomplete="off"
// on a page that comes back, some time after "pageshow": so nothing has it while the page is left.
import { button, everywhere, gettext, grouped, make, on, quietly } from "./page.js";

const PREFIX = "draft:";
const TWO_WEEKS = 14 * 24 * 3600 * 1000;
const given = new WeakMap(); // form -> its key and base as the server gave them
const late = new WeakMap(); // form -> what was kept of fields that it does not have yet
let restoring = false;
let unfilled = []; // what had autocomplete="off" when the page was left

const read = (at) => quietly(() => JSON.parse(localStorage.getItem(at)));
const drop = (form) => quietly(() => localStorage.removeItem(PREFIX + form.dataset.draft));
const hidden = (form) => (form.dataset.draftBase === "fresh" ? [] : [...form.elements].filter((e) => e.type === "hidden" && /^(key|base)$/.test(e.name)));

const entered = (form) => [...new FormData(form)].filter(([name, value]) => name !== "csrf_token" && typeof value === "string");

function keep(form) {
  const fields = entered(form);
  const key = fields.find(([name]) => name === "key")?.[1];
  const text = JSON.stringify({ at: Date.now(), key, fields });
  if (quietly(() => localStorage.setItem(PREFIX + form.dataset.draft, text) ?? true)) tell(form);
}

function tell(form, top = false) {
  if (form.querySelector(".draft")) return;
  const fresh = button("btn plain", () => startAfresh(form), gettext("Start over"));
  const note = make("p", { className: "draft", "role": "status" }, gettext("Kept on this phone – not yet saved"), fresh);
  // Not above what is being tapped: nothing may move under the thumb.
  if (top) form.prepend(note);
  else form.append(note);
}

function announce(form) {
  restoring = true;
  form.dispatchEvent(new Event("change", { bubbles: true }));
  restoring = false;
}

function startAfresh(form) {
  drop(form);
  late.delete(form);
  if (form.dataset.draftFresh) return location.assign(form.dataset.draftFresh);
  form.querySelector(".draft")?.remove();
  form.reset();
  for (const [field, value] of given.get(form)) field.value = value;
  announce(form);
}

function fill(form, fields) {
  if (form.tagName === "FORM") late.set(form, fields.filter(([name]) => !form.elements.namedItem(name)));
  const values = grouped(fields);
  for (const field of form.elements) {
    const kept = values.get(field.name);
    if (!field.name || /^(submit|button|file|fieldset|output)$/.test(field.type)) continue;
    if (/^(checkbox|radio)$/.test(field.type)) {
      const at = kept?.indexOf(field.value) ?? -1;
      field.checked = at >= 0;
      if (at >= 0) kept.splice(at, 1); // of several copies of a card as many as there were
    } else if (kept?.length && (field.type !== "hidden" || given.get(form)?.has(field))) {
      if (field.value !== kept[0]) field.closest("details")?.setAttribute("open", "");
      field.value = kept.shift();
    }
  }
}

function fillLate(form) {
  const kept = late.get(form) ?? [];
  const named = kept.map(([name]) => form.elements.namedItem(name));
  const come = named.map((one) => (one?.[0] ?? one)?.closest("fieldset")).filter(Boolean); // several: a list of them
  if (!come.length) return;
  late.set(form, kept.filter(([name]) => !come.some((fields) => fields.elements.namedItem(name))));
  for (const fields of new Set(come)) fill(fields, kept);
  announce(form);
}

function restore(form) {
  if (given.has(form)) return fillLate(form);
  given.set(form, new Map(hidden(form).map((field) => [field, field.value])));
  if (form.dataset.draftRestored === "no") return keep(form);
  const draft = read(PREFIX + form.dataset.draft);
  if (!draft?.fields || JSON.stringify(draft.fields) === JSON.stringify(entered(form))) return;
  quietly(() => fill(form, draft.fields));
  announce(form);
  tell(form, true);
}

function sweep() {
  const had = new Set([...document.querySelectorAll("[data-last-key]")].flatMap((e) => e.dataset.lastKey.split(" ")));
  for (const at of Object.keys(localStorage)) {
    if (!at.startsWith(PREFIX)) continue;
    const draft = read(at);
    if (!draft || had.has(draft.key) || Date.now() - draft.at > TWO_WEEKS) localStorage.removeItem(at);
  }
}

for (const kind of ["input", "change"]) {
  document.addEventListener(kind, ({ target }) => {
    const form = target.form ?? target.closest("form"); // a field may be elsewhere
    if (form?.dataset.draft && !restoring) keep(form);
  });
}
on("click", "a[data-cancel]", (link) => drop(document.getElementById(link.dataset.cancel)));
addEventListener("pagehide", () => {
  unfilled = document.querySelectorAll("form[data-draft][autocomplete=off], form[data-draft] [autocomplete=off]");
  for (const one of unfilled) one.autocomplete = "on";
});
addEventListener("pageshow", () => unfilled.forEach((one) => (one.autocomplete = "off")));
everywhere(() => {
  quietly(sweep);
  document.querySelectorAll("form[data-draft]").forEach(restore);
});
