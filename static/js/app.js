// Loads the modules that a page needs, by its data-* attributes. Modules listen on the document, so that
// swapped-in fragments work too. Without them, every page still works.
import { everywhere } from "./page.js";

const modules = {
  cards: "[data-one-pack], [data-stack], [data-sum], [data-split]",
  table: "[data-melds]",
  end: "form.end",
  seats: "[data-seats]",
  draft: "[data-draft], [data-last-key]",
  screen: "[data-settings], [data-keep-awake], [data-wake-note], [data-total]",
  share: "[data-print], [data-copy]",
  unsent: "#ask, #play, #penalty",
  outbox: "meta[name=outbox]",
};

everywhere(async () => {
  const wanted = Object.entries(modules).filter(([, marks]) => document.querySelector(marks));
  await Promise.all(wanted.map(([name]) => import(`./${name}.js`)));
  document.documentElement.dataset.ready = ""; // for style sheets and tests: every module is loaded
});
