// Theme, suits and text size; the wake lock; totals that move.
//   form[data-settings]   a choice of theme, suits or text size shows at once and is sent in the
//                         background. The Save button stays in case that fails.
//   [data-keep-awake]     the screen stays awake while the page has such an element. If the browser
//                         cannot do that (plain HTTP, old browsers), [data-wake-note] shows.
//   [data-total]          a player's total beside the name: it counts up or down from the total that
//                         this page showed before, unless the phone asks for less motion.
import { everywhere, on, quietly, reveal } from "./page.js";

on("change", "form[data-settings]", (form, { target: { name, value } }) => {
  if (["theme", "suits", "text"].includes(name)) document.documentElement.dataset[name] = value;
  fetch(form.action, { method: "POST", body: new FormData(form), redirect: "manual" }).catch(() => {});
});

let lock = null;

async function keepAwake() {
  const wanted = document.querySelector("[data-keep-awake]") && !document.hidden;
  if (!wanted || (lock && !lock.released)) return;
  try {
    lock = await navigator.wakeLock.request("screen");
  } catch {
    lock = null; // the battery is low, or nothing was touched yet: the next touch tries again
  }
}

if ("wakeLock" in navigator) {
  everywhere(keepAwake);
  document.addEventListener("visibilitychange", keepAwake);
  document.addEventListener("pointerup", keepAwake);
} else {
  everywhere(() => reveal("[data-wake-note]"));
}

const lessMotion = matchMedia("(prefers-reduced-motion: reduce)");

function count(element, from, to) {
  const begun = performance.now();
  requestAnimationFrame(function step(now) {
    const left = Math.min(1, Math.max(0, 1 - (now - begun) / 600)) ** 3;
    element.textContent = String(Math.round(to + (from - to) * left)).replace("-", "−");
    if (left) requestAnimationFrame(step);
  });
}

everywhere(() => {
  const key = `totals ${location.pathname}`;
  const before = quietly(() => JSON.parse(sessionStorage.getItem(key))) ?? {};
  const totals = {};
  for (const element of document.querySelectorAll("[data-total]")) {
    const name = element.closest("li").querySelector("bdi").textContent;
    const to = (totals[name] = Number(element.dataset.total.replace("−", "-")));
    if (name in before && before[name] !== to && !lessMotion.matches) count(element, before[name], to);
  }
  quietly(() => sessionStorage.setItem(key, JSON.stringify(totals)));
});
