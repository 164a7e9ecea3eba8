// What the pages gain where scripts run. Each module works on data-* attributes, listens on the
// document (so that swapped-in fragments work too) and takes nothing away where it does not run.
// A page loads only the modules that it has a use for.
import { everywhere } from "./page.js";

const modules = {
  cards: "[data-one-pack], [data-stack], [data-sum], [data-split]",
  table: "[data-melds]",
  end: "form.end",
  seats: "[data-seats]",
  draft: "[data-draft], [data-last-key]",
  screen: "[data-settings], [data-keep-awake], [data-wake-note], [data-total]",
  share: "[data-print], [data-copy]",
  outbox: "meta[name=outbox]",
};

everywhere(async () => {
  const wanted = Object.entries(modules).filter(([, marks]) => document.querySelector(marks));
  await Promise.all(wanted.map(([name]) => import(`./${name}.js`)));
  document.documentElement.dataset.ready = ""; // for whoever must know that all of it is there
});
