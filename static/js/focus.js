// [data-focus] gets the focus when it appears: an error summary is read out first.
import { everywhere } from "./everywhere.js";

const seen = new WeakSet();
everywhere(() => {
  const place = document.querySelector("[data-focus]");
  if (!place || seen.has(place)) return;
  seen.add(place);
  place.focus();
});
