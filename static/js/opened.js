// The act of the waiting list that the marker opened, on the page where it can be entered again.
import * as acts from "./acts.js";
import { fill } from "./draft.js";
import { submit } from "./pressed.js";
import { OPENING } from "./waiting.js";

// What the server asked back is on the page that it answers with: the act is sent once more, as it is.
function ask(act, form) {
  const again = document.createElement("form");
  Object.assign(again, { method: "post", action: act.url, hidden: true });
  const { key, base } = act;
  const fields = [["csrf_token", form.elements.csrf_token.value], ["key", key], ["base", base], ...act.fields];
  for (const [name, value] of fields) again.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  Object.assign(again.dataset, { what: act.what, page: act.page, then: act.then, replaces: act.id });
  if (act.shows) again.dataset.shows = "";
  document.getElementById("main").append(again);
  submit(again);
}

// The form has its entry back; sending it takes the old one's place, which is not sent by itself any
// more, whatever it was refused for.
async function refill(act, form) {
  // Of a meld nothing is said again where others lie on the table now.
  const lying = act.fields.find(([name]) => name === "lying")?.[1];
  fill(form, act.fields.filter(([name]) => name !== "onto" || lying === form.elements.lying?.value));
  form.dataset.replaces = act.id;
  form.dispatchEvent(new Event("change", { bubbles: true }));
  await acts.keep({ ...act, refused: { ...act.refused, status: 422 } });
}

const id = Number(sessionStorage.getItem(OPENING));
sessionStorage.removeItem(OPENING);
const act = (await acts.all()).find((one) => one.id === id);
const form = act?.refused && document.querySelector(`form[method=post][action="${act.url}"]`);
// Then all that waits is sent with it.
export const isSent = Boolean(form) && act.refused.status === 200;
if (isSent) ask(act, form);
else if (form) await refill(act, form);
