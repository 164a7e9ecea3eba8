// form[data-draft="name"]: what is half entered is kept on this phone until the server has it.
//   [data-last-key]               keys (with spaces) that the server has: their drafts are dropped
//   data-draft-restored="no"      the server put the entries back itself; nothing is restored over them
//   data-draft-fresh="/address"   where "Start over" goes (else: the page once more)
//   a[data-cancel="form id"]      leaves the form: its draft is dropped
//   data-draft-base="fresh"       the page shows all that the entry depends on: `key` and `base` are its own
// Hidden fields are not restored but for `key` and `base`: sent again, it is the same action. Boxes of a
// fieldset that comes later are restored when it comes. Safari's engine empties what has autocomplete="off"
// on a page that comes back, some time after "pageshow": so nothing has it while the page is left.
import { announce, button, eachNew, everywhere, gettext, grouped, make, on, quietly } from "./page.js";

const PREFIX = "draft:";
const TWO_WEEKS = 14 * 24 * 3600 * 1000;
const late = new WeakMap(); // form -> what was kept of fields that it does not have yet
let unfilled = []; // what had autocomplete="off" when the page was left

const read = (at) => quietly(() => JSON.parse(localStorage.getItem(at)));
const drop = (form) => quietly(() => localStorage.removeItem(PREFIX + form.dataset.draft));
const isRestored = ({ type, name, form }) => type !== "hidden" || (/^(key|base)$/.test(name) && form.dataset.draftBase !== "fresh");
const entered = (form) => [...new FormData(form)].filter(([name, value]) => name !== "csrf_token" && typeof value === "string");

function keep(form) {
  const fields = entered(form);
  const key = fields.find(([name]) => name === "key")?.[1];
  const text = JSON.stringify({ at: Date.now(), key, fields });
  if (quietly(() => localStorage.setItem(PREFIX + form.dataset.draft, text) ?? true)) tell(form);
}

function tell(form, top = false) {
  if (form.querySelector(".draft")) return;
  const startOver = () => {
    drop(form);
    location.assign(form.dataset.draftFresh ?? location.pathname + location.search);
  };
  const fresh = button("btn plain", startOver, gettext("Start over"));
  const note = make("p", { className: "draft", "role": "status" }, gettext("Kept on this phone – not yet saved"), fresh);
  // Not above what is being tapped: nothing may move under the thumb.
  if (top) form.prepend(note);
  else form.append(note);
}

// Fills in a form, or a part of it that came later.
function fill(place, fields) {
  const values = grouped(fields);
  for (const field of place.elements) {
    const kept = values.get(field.name);
    if (!field.name || /^(submit|button|file|fieldset|output)$/.test(field.type)) continue;
    if (/^(checkbox|radio)$/.test(field.type)) {
      const at = kept?.indexOf(field.value) ?? -1;
      field.checked = at >= 0;
      if (at >= 0) kept.splice(at, 1); // of several copies of a card as many as there were
    } else if (kept?.length && isRestored(field)) {
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
  if (form.dataset.draftRestored === "no") return keep(form);
  const draft = read(PREFIX + form.dataset.draft);
  if (!draft?.fields || JSON.stringify(draft.fields) === JSON.stringify(entered(form))) return;
  late.set(form, draft.fields.filter(([name]) => !form.elements.namedItem(name)));
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
    if (form?.dataset.draft && target !== form) keep(form); // a form says itself that it was filled in
  });
}
on("reset", "form[data-draft]", (form) => {
  drop(form);
  form.querySelector(".draft")?.remove();
});
on("click", "a[data-cancel]", (link) => drop(document.getElementById(link.dataset.cancel)));
addEventListener("pagehide", () => {
  unfilled = document.querySelectorAll("form[data-draft][autocomplete=off], form[data-draft] [autocomplete=off]");
  for (const one of unfilled) one.autocomplete = "on";
});
addEventListener("pageshow", () => unfilled.forEach((one) => (one.autocomplete = "off")));
everywhere(() => quietly(sweep));
eachNew("form[data-draft]", restore);
everywhere(() => document.querySelectorAll("form[data-draft]").forEach(fillLate));
