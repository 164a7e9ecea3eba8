// [data-print] opens the browser's print dialogue, in the place of [data-print-by-menu], which says
// how to find it.
import { everywhere } from "./everywhere.js";

everywhere(() => {
  for (const button of document.querySelectorAll("[data-print]")) button.hidden = false;
  for (const words of document.querySelectorAll("[data-print-by-menu]")) words.hidden = true;
});

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-print]")) print();
});
