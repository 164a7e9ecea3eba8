// The page of an entry that was refused, and the two ways on from it.
//   data-discard on a link     leaves the entry out: it is dropped, after a question
//   data-instead on a link     leads to a form whose entry takes the place of this one
//   body[data-opened]          the id of the entry, if it waits on this phone (see outbox.js)
import * as acts from "./acts.js";
import { goOn } from "./going.js";
import { isSure } from "./waiting.js";

export const INSTEAD = "outbox:instead"; // the entry that the form of the next page replaces, and that page

async function discard(link) {
  if (!isSure(link)) return;
  for (const { dataset } of document.querySelectorAll("form[data-draft]")) localStorage.removeItem(`draft:${dataset.draft}`);
  const { opened } = document.body.dataset;
  if (opened) await acts.drop(Number(opened));
  goOn(link.href);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-discard], [data-instead]");
  if (!link) return;
  const { opened } = document.body.dataset;
  if (link.dataset.discard !== undefined) {
    event.preventDefault();
    discard(link);
  } else if (opened) sessionStorage.setItem(INSTEAD, JSON.stringify([opened, link.pathname]));
});

const [id, at] = JSON.parse(sessionStorage.getItem(INSTEAD)) ?? [];
if (at === location.pathname) {
  for (const form of document.querySelectorAll(`form[method=post][action="${at}"]`)) form.dataset.replaces = id;
}
sessionStorage.removeItem(INSTEAD);
