// A POST form that was sent is not sent again by a second tap: its buttons are disabled until the
// page is left, comes back, or ten seconds have passed without an answer. data-once="no" opts out.
// The pressed button is disabled only after its name and value were taken.
const sent = new WeakMap();
const posts = (form) => form.method === "post" && form.dataset.once !== "no";

export function free(form) {
  for (const press of sent.get(form) ?? []) press.disabled = false;
  sent.delete(form);
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
  setTimeout(free, 10000, form);
});

document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => free(ctx.sourceElement));
addEventListener("pageshow", ({ persisted }) => persisted && [...document.forms].forEach(free));
