// What every page has, and what the other modules share.
// #trouble of base.html shows when no answer came. What asks the server by itself is [data-lost] then,
// and shows its [data-no-answer]; viewers' [data-live] (with hx-trigger "every 2s, look") asks only while
// someone looks.
// [data-says] has its words only where scripts run: a text browser shows what is hidden.
// [data-focus] gets the focus when it appears: an error summary is read out first.
// [data-at-top] is scrolled to the top when it appears: what it heads is in sight then.
// [data-of-address="player"]: what the address says of that is chosen or written here, as one precached
// page serves several addresses.

// -- words -------------------------------------------------------------------------------------------
// A sentence is written in English where it is said, with its values by name. A page in another language
// has #words, JSON: each sentence as it is said there; a list, if it depends on a number; and under ""
// which one of a list is said of 0, 1, 2 … 199 (and so on by the hundred).
const words = JSON.parse(document.getElementById("words")?.textContent ?? "{}");
const { lang } = document.documentElement;
const locale = lang === "en" ? "en-GB" : lang;

const filled = (sentence, values) => (values ? sentence.replace(/%\((\w+)\)s/g, (_, name) => values[name]) : sentence);

export const gettext = (sentence, values) => filled(words[sentence] ?? sentence, values);

export function ngettext(one, many, number, values) {
  const said = words[one]?.[words[""][number < 200 ? number : 100 + (number % 100)]];
  return filled(said ?? (number === 1 ? one : many), { number, ...values });
}

// The parts of a sentence whose values are elements.
export const parts = (sentence, values) => sentence.split(/%\((\w+)\)s/).map((part, at) => (at % 2 ? values[part] : part));

// A time of the day, with the date unless it is today's.
export function timeOf(at) {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return new Date(at).toLocaleString(locale, { ...(isToday ? {} : { day: "numeric", month: "short" }), hour: "2-digit", minute: "2-digit" });
}

// Whether this page is a copy from a while ago, kept for when there is no network (see sw.js).
export const isCopy = () => "asOf" in document.documentElement.dataset;

// A meta element, of the page that is open or of another one.
export const meta = (name, of = document) => of.querySelector(`meta[name="${name}"]`);

// -- elements ----------------------------------------------------------------------------------------

// Runs `work` now and after every htmx swap; `work` must not mind running twice on one element.
export function everywhere(work) {
  work();
  document.addEventListener("htmx:after:swap", work);
}

// Runs `work` with each element, once: now, or when a swap brings it.
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

// Runs `work` with the element of the selector in which an event happens, and with the event.
export function on(name, selector, work, isEarly = false) {
  const answer = (event) => {
    const element = event.target.closest?.(selector);
    if (element) work(element, event);
  };
  document.addEventListener(name, answer, isEarly);
}

// Shows every element of the selector, or hides it.
export function reveal(selector, isShown = true) {
  for (const element of document.querySelectorAll(selector)) element.hidden = !isShown;
}

// An element: what it has no property for (role, data-*, aria-*) is set as an attribute.
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

// Says that something in a form has changed, to whoever draws, adds up or keeps it. Said of the form itself:
// that it was filled in or emptied by a script.
export const announce = (place) => place.dispatchEvent(new Event("change", { bubbles: true }));

// Every key of the pairs with the list of its values.
export function grouped(pairs) {
  const values = new Map();
  for (const [key, value] of pairs) values.set(key, [...(values.get(key) ?? []), value]);
  return values;
}

// Reads or writes what this phone keeps; null if it keeps nothing.
export function quietly(work) {
  try {
    return work();
  } catch {
    return null; // storage is full, switched off or unreadable
  }
}

everywhere(() => {
  for (const told of document.querySelectorAll("[data-says]:empty")) told.textContent = told.dataset.says;
});

const asOf = () => ({ time: timeOf(document.documentElement.dataset.asOf) });

if (isCopy()) {
  const says = gettext("As of %(time)s, no connection.", asOf());
  document.getElementById("messages").before(make("p", { id: "copy", className: "notice warn", "role": "status" }, says));
}

// Says on an old copy that stays that the server answers again.
export function connected() {
  const says = gettext("Connected again. This page is as of %(time)s.", asOf());
  document.getElementById("copy")?.replaceChildren(says);
}

// -- htmx ------------------------------------------------------------------------------------------

document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = event.detail;
  const token = meta("csrf-token"); // none on a page that sends nothing
  if (token) ctx.request.headers["X-CSRFToken"] = token.content;
  if (document.hidden && ctx.sourceElement.matches("[data-live]")) event.preventDefault();
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const live of document.querySelectorAll("[data-live]")) live.dispatchEvent(new Event("look"));
});

function lost(ctx, yes) {
  ctx?.sourceElement.toggleAttribute("data-lost", yes); // the style sheet sees to the rest
  const trouble = document.getElementById("trouble");
  // An old copy of a page has said already that there is no connection.
  if (trouble) trouble.hidden = !yes || isCopy() || Boolean(ctx?.sourceElement.matches("[data-live]"));
}
document.addEventListener("htmx:error", ({ detail }) => lost(detail.ctx, true));
document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => lost(ctx, ctx.response.status >= 500));

// -- the focus, what is in sight, and what the address says -------------------------------------------

eachNew("[data-focus]", (place) => place.focus());

eachNew("[data-at-top]", (place) => place.scrollIntoView({ behavior: "instant" }));

eachNew("[data-of-address]", (place) => {
  const named = new URLSearchParams(location.search);
  const value = named.get(place.dataset.ofAddress);
  if (value && place.type === "hidden") place.value = value;
  else if (value) place.textContent = value;
  for (const radio of place.querySelectorAll("[type=radio]")) {
    if (radio.value === named.get(radio.name)) radio.checked = radio.defaultChecked = true;
  }
});

// -- forms -----------------------------------------------------------------------------------------

// A POST form that was sent is not sent again by a second tap until the page is left, comes back, or ten
// seconds have passed without an answer. What another module sends in the browser's place it frees by
// itself, unless it leaves the page. Meanwhile html[data-sending] says that another page is to come.
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

// What is sent: the button that was pressed, too. Before iOS 16.4, Chrome 112 and Firefox 111 FormData
// takes no button and says nothing about it.
export function entered(form, press) {
  const fields = new FormData(form);
  if (press?.name) fields.append(press.name, press.value);
  return fields;
}

// What was entered again is no longer what was refused: its error goes, here and in the summary.
function answered(field) {
  const group = field.closest(".field, .choices, .cards");
  const error = group?.querySelector(".error");
  if (!error) return;
  error.remove();
  for (const one of [group, ...group.querySelectorAll("[aria-invalid]")]) one.removeAttribute("aria-invalid");
  const told = document.querySelector(`.summary a[href="#${error.id.replace(/-error$/, "")}"]`)?.closest("li");
  (told?.matches(":only-child") ? told.closest(".summary") : told)?.remove();
}
on("input", "*", answered);
on("change", "*", answered);

// -- the next page -----------------------------------------------------------------------------------

// Leaves this page for the next one.
export function goOn(address) {
  const to = new URL(address, location.href);
  if (to.pathname + to.search === location.pathname + location.search) {
    history.replaceState(null, "", to);
    scrollTo(0, 0); // what was done is told at the top; a reload stays where the page was
    location.reload();
  } else location.assign(to);
}

// The page that the server answered with, in the place of the one that is open.
export function show(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const one of page.querySelectorAll("noscript")) one.remove();
  document.title = page.title;
  const token = meta("csrf-token", page);
  if (token) meta("csrf-token").content = token.content;
  document.body = page.body;
  scrollTo(0, 0);
  window.htmx?.process(document.body);
  document.dispatchEvent(new Event("htmx:after:swap"));
}
