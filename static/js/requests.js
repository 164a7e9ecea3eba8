// What every htmx request needs: the CSRF token of <meta name="csrf-token">; a word when no answer
// came (#trouble of base.html; 5xx are not swapped); and for viewers, [data-live] (with hx-trigger
// "every 2s, look"), asking only while someone looks, and its own [data-live-lost] when it fails. A
// question that a server does not answer for four seconds is given up: the next one may meet another.
// What asks the server by itself and has no answer to what it asked shows [data-no-answer] in place
// of what it was told before.
const on = (name, work) => document.addEventListener(name, work);

on("htmx:config:request", (event) => {
  const { ctx } = event.detail;
  const token = document.querySelector('meta[name="csrf-token"]'); // none on a page that sends nothing
  if (token) ctx.request.headers["X-CSRFToken"] = token.content;
  if (!ctx.sourceElement.matches("[data-live]")) return;
  ctx.request.timeout = "4s";
  if (document.hidden) event.preventDefault();
});

on("visibilitychange", () => {
  if (document.hidden) return;
  for (const live of document.querySelectorAll("[data-live]")) live.dispatchEvent(new Event("look"));
});

function lost(ctx, yes) {
  const live = ctx?.sourceElement.closest("[data-live]");
  const place = live ? live.querySelector("[data-live-lost]") : document.getElementById("trouble");
  // An old copy of a page has said already that there is no connection.
  if (place) place.hidden = !yes || (!live && "asOf" in document.documentElement.dataset);
  const instead = ctx?.sourceElement.querySelector(":scope > [data-no-answer]");
  if (instead) for (const part of ctx.sourceElement.querySelectorAll(":scope > :not(h2)")) part.hidden = (part === instead) !== yes;
}
on("htmx:error", ({ detail }) => lost(detail.ctx, true));
on("htmx:after:request", ({ detail: { ctx } }) => lost(ctx, ctx.response.status >= 500));
