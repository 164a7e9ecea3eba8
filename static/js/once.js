// A POST form that was sent is not sent again by a second tap: its buttons are disabled until the
// page is left, comes back, or ten seconds have passed without an answer (outbox.js says by itself
// when it is done: html[data-sending]). data-once="no" opts out.
// The pressed button is disabled only after its name and value were taken.
const sent = new WeakMap();
const posts = (form) => form.method === "post" && form.dataset.once !== "no";

export function free(form) {
  for (const press of sent.get(form) ?? []) press.disabled = false;
  sent.delete(form);
}

function forget(form, buttons) {
  if (sent.get(form) !== buttons) return; // it was sent anew since
  if ("sending" in document.documentElement.dataset) setTimeout(forget, 10000, form, buttons);
  else free(form);
}

document.addEventListener("submit", (event) => {
  if (!sent.has(event.target)) return;
  event.preventDefault();
  event.stopPropagation();
}, true);

document.addEventListener("submit", ({ target: form, defaultPrevented }) => {
  const byHtmx = form.matches("[hx-post], [hx-put], [hx-patch], [hx-delete]");
  if (!(posts(form) || byHtmx) || (defaultPrevented && !byHtmx)) return;
  const buttons = [...form.elements].filter((e) => e.type === "submit" && !e.disabled);
  sent.set(form, buttons);
  setTimeout(() => buttons.forEach((press) => (press.disabled = sent.has(form))));
  setTimeout(forget, 10000, form, buttons);
});

document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => free(ctx.sourceElement));
addEventListener("pageshow", ({ persisted }) => persisted && [...document.forms].forEach(free));
