// Runs `work` now and after every htmx swap; `work` must not mind running twice on one element.
export function everywhere(work) {
  work();
  document.addEventListener("htmx:after:swap", work);
}
