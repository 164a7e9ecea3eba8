// How this phone shows the companion.
//   form[data-settings]   theme, suits and text show at a tap and are sent in the background. The Save
//                         button stays for where that fails.
//   [data-keep-awake]     the screen stays awake while the page holds one. Where the browser cannot do
//                         that (plain HTTP, older ones), [data-wake-note] shows and says so.
//   [data-total]          a total of the player whose name stands beside it: it moves from what this
//                         page showed before, unless the phone asks for less motion.
import { everywhere, on, quietly, reveal } from "./page.js";

on("change", "form[data-settings]", (form, { target: { name, value } }) => {
  if (["theme", "suits", "text"].includes(name)) document.documentElement.dataset[name] = value;
  fetch(form.action, { method: "POST", body: new FormData(form), redirect: "manual" }).catch(() => {});
});

let lock = null;

async function hold() {
  const wanted = document.querySelector("[data-keep-awake]") && !document.hidden;
  if (!wanted || (lock && !lock.released)) return;
  try {
    lock = await navigator.wakeLock.request("screen");
  } catch {
    lock = null; // a low battery, or not yet touched: asked again at the next touch
  }
}

if ("wakeLock" in navigator) {
  everywhere(hold);
  document.addEventListener("visibilitychange", hold);
  document.addEventListener("pointerup", hold);
} else {
  everywhere(() => reveal("[data-wake-note]"));
}

const still = matchMedia("(prefers-reduced-motion: reduce)");

function move(place, from, to) {
  const begun = performance.now();
  requestAnimationFrame(function step(now) {
    const left = Math.max(0, 1 - (now - begun) / 600) ** 3;
    place.textContent = String(Math.round(to + (from - to) * left)).replace("-", "−");
    if (left) requestAnimationFrame(step);
  });
}

everywhere(() => {
  const name = `totals ${location.pathname}`;
  const before = quietly(() => JSON.parse(sessionStorage.getItem(name))) ?? {};
  const totals = {};
  for (const place of document.querySelectorAll("[data-total]")) {
    const who = place.closest("li").querySelector("bdi").textContent;
    const to = (totals[who] = Number(place.dataset.total.replace("−", "-")));
    if (who in before && before[who] !== to && !still.matches) move(place, before[who], to);
  }
  quietly(() => sessionStorage.setItem(name, JSON.stringify(totals)));
});
