// The screen stays awake while the page holds a [data-keep-awake]. Where the browser cannot do
// that (plain HTTP, older ones), [data-wake-note] shows and says so.
import { everywhere } from "./everywhere.js";

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
  everywhere(() => document.querySelectorAll("[data-wake-note]").forEach((note) => (note.hidden = false)));
}
