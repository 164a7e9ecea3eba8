// What every page needs, and functions that the other modules share.
// #trouble of base.html shows when the server does not answer. An element that htmx requests for gets
// [data-lost] then, and shows its [data-no-answer]. Viewers' [data-live] (hx-trigger "every 2s, look")
// polls only while the page is visible.
// [data-says] gets its words from a script, as a text browser shows even hidden elements.
// [data-focus] gets the focus when it appears, so that an error summary is read out first.
// [data-at-top] is scrolled to the top when it appears, so that the part below it is in sight.
// [data-of-address="player"] takes its value, text or choices from that parameter of the address, because
// one precached page serves several addresses. Of its buttons, those with other values are quiet.

// -- words -------------------------------------------------------------------------------------------
// Scripts have their sentences in English, with named values. A page in another language has #words, a JSON
// with the translation of each sentence. If a sentence depends on a number, its translation is a list of
// plural forms, and "" has the index of the form for 0, 1, 2 … 199 (above, the last two digits count).
const words = JSON.parse(document.getElementById("words")?.textContent ?? "{}");
const { lang } = document.documentElement;
const locale = lang === "en" ? "en-GB" : lang;

const filled = (sentence, values) => (values ? sentence.replace(/%\((\w+)\)s/g, (_, name) => values[name]) : sentence);

export const gettext = (sentence, values) => filled(words[sentence] ?? sentence, values);

export function ngettext(one, many, number, values) {
  const translated = words[one]?.[words[""][number < 200 ? number : 100 + (number % 100)]];
  return filled(translated ?? (number === 1 ? one : many), { number, ...values });
}

// A sentence with elements as values, as a list of texts and elements.
export const parts = (sentence, values) => sentence.split(/%\((\w+)\)s/).map((part, at) => (at % 2 ? values[part] : part));

// A time of day, with the date unless it is today's.
export function timeOf(at) {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return new Date(at).toLocaleString(locale, { ...(isToday ? {} : { day: "numeric", month: "short" }), hour: "2-digit", minute: "2-digit" });
}

// True if this page is an old copy, kept for when there is no network (see sw.js).
export const isCopy = () => "asOf" in document.documentElement.dataset;

// True if this page was opened, and not reloaded or gone back to.
export const wasOpened = () => performance.getEntriesByType("navigation")[0]?.type === "navigate";

// A meta element of the open page, or of another document.
export const meta = (name, of = document) => of.querySelector(`meta[name="${name}"]`);

// -- elements ----------------------------------------------------------------------------------------

// Runs `work` now and after every htmx swap; `work` may run twice on an element.
export function everywhere(work) {
  work();
  document.addEventListener("htmx:after:swap", work);
}

// Runs `work` once with each element of the selector: now, or when a swap brings it.
export function eachNew(selector, work) {
  const known = new WeakSet();
  everywhere(() => {
    for (const element of document.querySelectorAll(selector)) {
      if (known.has(element)) continue;
      known.add(element);
      work(element);
    }
  });
}

// At an event, or each of several, runs `work` with the closest element of the selector and the event.
// `isEarly`: in the capture phase.
export function on(names, selector, work, isEarly = false) {
  const listener = (event) => {
    const element = event.target.closest?.(selector);
    if (element) work(element, event);
  };
  for (const name of [names].flat()) document.addEventListener(name, listener, isEarly);
}

// Shows or hides every element of the selector.
export function reveal(selector, isShown = true) {
  for (const element of document.querySelectorAll(selector)) element.hidden = !isShown;
}

// Makes an element. `role` and names with a hyphen (data-*, aria-*) are set as attributes.
export function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (/^role$|-/.test(name)) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

export const button = (className, onclick, ...inside) => make("button", { type: "button", className, onclick }, ...inside);

// Tells the modules that a script has changed something in a form. Dispatched on the form itself, it says
// that a script has filled in or emptied the form.
export const announce = (element) => element.dispatchEvent(new Event("change", { bubbles: true }));

// Dispatches an event of our own. False if a listener has prevented what follows.
export const dispatch = (element, name, detail) => element.dispatchEvent(new CustomEvent(name, { bubbles: true, cancelable: true, detail }));

// A map of each key of the pairs to the list of its values.
export function grouped(pairs) {
  const values = new Map();
  for (const [key, value] of pairs) values.set(key, [...(values.get(key) ?? []), value]);
  return values;
}

// The result of `work`, which reads or writes this browser's storage; null if that fails.
export function quietly(work) {
  try {
    return work();
  } catch {
    return null; // the storage is full, switched off or unreadable
  }
}

everywhere(() => {
  for (const element of document.querySelectorAll("[data-says]:empty")) element.textContent = element.dataset.says;
});

const asOf = () => ({ time: timeOf(document.documentElement.dataset.asOf) });

if (isCopy()) {
  const says = gettext("As of %(time)s, no connection.", asOf());
  document.getElementById("messages").before(make("p", { id: "copy", className: "notice warn", "role": "status" }, says));
}

// Tells the marker that the server answers again, on an old copy that cannot be reloaded now.
export function connected() {
  const says = gettext("Connected again. This page is as of %(time)s.", asOf());
  document.getElementById("copy")?.replaceChildren(says);
}

// -- htmx ------------------------------------------------------------------------------------------

document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = event.detail;
  const token = meta("csrf-token"); // missing on a page without forms
  if (token) ctx.request.headers["X-CSRFToken"] = token.content;
  if (document.hidden && ctx.sourceElement.matches("[data-live]")) event.preventDefault();
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const live of document.querySelectorAll("[data-live]")) live.dispatchEvent(new Event("look"));
});

function showTrouble(ctx, isLost) {
  ctx?.sourceElement.toggleAttribute("data-lost", isLost); // the style sheet does the rest
  if (ctx?.sourceElement.matches("[hx-target='#found']")) findHere(ctx.sourceElement, isLost);
  // An old copy of a page already says that there is no connection.
  reveal("#trouble", isLost && !isCopy() && !ctx?.sourceElement.matches("[data-live]"));
}
document.addEventListener("htmx:error", ({ detail }) => showTrouble(detail.ctx, true));
document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => showTrouble(ctx, ctx.response.status >= 500));

// Without an answer, the search for a rule shows those of this page that have all its words. They are all
// shown again as soon as the server answers.
function findHere(form, isLost) {
  const words = isLost ? form.elements.q.value.toLowerCase().split(/\s+/) : [];
  const rules = [...document.querySelectorAll(".rule")];
  for (const rule of rules) rule.hidden = !words.every((word) => rule.textContent.toLowerCase().includes(word));
  const number = rules.filter((rule) => !rule.hidden).length;
  const says = () => ngettext("No connection. %(number)s rule of this page has these words.", "No connection. %(number)s rules of this page have these words.", number);
  if (isLost) document.getElementById("found").textContent = words.some(Boolean) ? says() : "";
}

on("submit", "[hx-target='#found']", (form, event) => {
  if (!isCopy()) return;
  event.preventDefault();
  findHere(form, true);
});

// A form without an answer says so in sight, unless a module says more (table.js).
addEventListener("unanswered", (event) => {
  if (event.defaultPrevented) return;
  reveal("#trouble");
  document.getElementById("trouble").scrollIntoView({ block: "center", behavior: "instant" });
});

// -- the focus, scrolling, and values from the address ------------------------------------------------

eachNew("[data-focus]", (element) => element.focus());

eachNew("[data-at-top]", (element) => element.scrollIntoView({ behavior: "instant" }));

eachNew("[data-of-address]", (element) => {
  const query = new URLSearchParams(location.search);
  const value = query.get(element.dataset.ofAddress);
  if (value && element.type === "hidden") element.value = value;
  else if (value) element.textContent = value;
  const given = Array.from(query);
  for (const box of element.querySelectorAll("[type=radio], [type=checkbox]")) {
    const at = given.findIndex(([name, said]) => name === box.name && said === box.value);
    if (at < 0) continue;
    box.checked = box.defaultChecked = true;
    given.splice(at, 1); // each copy of a card is checked once
  }
  for (const press of element.querySelectorAll("button[name]")) {
    const said = query.get(press.name);
    if (said) press.classList.toggle("quiet", said !== press.value);
  }
});

// -- forms -----------------------------------------------------------------------------------------

// A second tap does not send a POST form again, until the browser comes back to the page or ten seconds have
// passed without an answer. A module that sends a form itself frees it itself, unless it leaves the page.
// Until then html[data-sending] says that the next page is on its way.
const sent = new WeakSet();

// Lets a form be sent again.
export function free(form) {
  sent.delete(form);
  delete document.documentElement.dataset.sending;
}

on("submit", "form", (form, event) => {
  if (!sent.has(form)) return;
  event.preventDefault();
  event.stopPropagation();
}, true);

on("submit", "form", (form, event) => {
  if (event.defaultPrevented || form.method !== "post") return;
  sent.add(form);
  document.documentElement.dataset.sending = "";
  setTimeout(() => event.defaultPrevented || free(form), 10000);
});

addEventListener("pageshow", ({ persisted }) => persisted && [...document.forms].forEach(free));

// The fields of a form with the button that was pressed. Before iOS 16.4, Chrome 112 and Firefox 111,
// FormData silently ignores a button.
export function entered(form, press) {
  const fields = new FormData(form);
  if (press?.name) fields.append(press.name, press.value);
  return fields;
}

// Removes a field's error, here and in the summary, as the value that was refused has changed.
function removeError(field) {
  const group = field.closest(".field, .choices, .cards");
  const error = group?.querySelector(".error");
  if (!error) return;
  error.remove();
  for (const element of [group, ...group.querySelectorAll("[aria-invalid]")]) element.removeAttribute("aria-invalid");
  const item = document.querySelector(`.summary a[href="#${error.id.replace(/-error$/, "")}"]`)?.closest("li");
  (item?.matches(":only-child") ? item.closest(".summary") : item)?.remove();
}
on(["input", "change"], "*", removeError);

// -- the next page -----------------------------------------------------------------------------------

// Leaves this page for the next one.
export function goOn(address) {
  const to = new URL(address, location.href);
  if (to.pathname + to.search === location.pathname + location.search) {
    history.replaceState(null, "", to);
    scrollTo(0, 0); // the message about what was done is at the top; a reload keeps its place
    location.reload();
  } else location.assign(to);
}

// The pages shown at this address, one in place of the other, as titles and bodies; and which of them is open.
const pages = [];
let open = history.state?.page ?? 0;

function openPage(number) {
  open = number;
  [document.title, document.body] = pages[number];
  scrollTo(0, 0);
  window.htmx?.process(document.body);
  document.dispatchEvent(new Event("htmx:after:swap"));
}

// Shows the page that the server answered with in place of the open one. Back returns to that one as it was.
export function show(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const element of page.querySelectorAll("noscript")) element.remove();
  const token = meta("csrf-token", page);
  if (token) meta("csrf-token").content = token.content;
  history.replaceState({ page: open }, "");
  history.pushState({ page: open + 1 }, "");
  pages.length = open; // none of them is there after a reload
  pages.push([document.title, document.body], [page.title, page.body]);
  openPage(open + 1);
}

addEventListener("popstate", ({ state }) => {
  if (!state || state.page === open) return; // a link within the page
  if (!pages[state.page]) return location.reload();
  openPage(state.page);
  [...document.forms].forEach(free);
});
