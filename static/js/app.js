// What the pages gain where scripts run. Each module works on data-* attributes, listens on the
// document (so that swapped-in fragments work too) and takes nothing away where it does not run.
// A page loads only the modules that it has a use for.
import { everywhere } from "./everywhere.js";
import "./requests.js";
import "./once.js";
import "./focus.js";

const modules = {
  "[data-steps]": "steps",
  "[data-one-pack]": "taken",
  "[data-stack]": "stack",
  "[data-melds]": "lying",
  "[data-plays]": "plays",
  "[data-sum]": "sum",
  "[data-split]": "split",
  "form.end": "marking",
  "[data-seats]": "seats",
  "[data-seats] input": "typed",
  "[data-draft], [data-last-key]": "draft",
  "[data-settings]": "settings",
  "[data-keep-awake], [data-wake-note]": "wake",
  "[data-of-address]": "chosen",
  "[data-print]": "print",
  "[data-copy]": "share",
  "[data-discard], [data-instead]": "discard",
  "meta[name=outbox]": "outbox",
};

everywhere(async () => {
  const wanted = Object.entries(modules).filter(([marks]) => document.querySelector(marks));
  await Promise.all(wanted.map(([, name]) => import(`./${name}.js`)));
  document.documentElement.dataset.ready = ""; // for whoever must know that all of it is there
});
