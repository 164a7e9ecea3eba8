// What the server would ask about does not wait for it: by then nobody may remember. A form that gets no answer
// (see outbox.js) is not kept while nobody is chosen in its #player, #turn, #asked or #last_taker, or a house
// penalty lacks its reason or points. The end of a hand is end.js's; a recorded play, form#play, needs no player.
import { gettext, make, on } from "./page.js";

on("unsent", "form:not(.end, #play)", (form, event) => {
  const whos = [...form.querySelectorAll(":is(#player, #turn)[role=radiogroup], #asked, #last_taker")];
  const typed = [...(event.detail.press?.closest("#house")?.querySelectorAll("input") ?? [])];
  const open = [...whos.filter((who) => !who.querySelector(":checked")), ...typed.filter(({ value }) => !value.trim())];
  if (!open.length) return;
  event.preventDefault();
  const names = open.map((one) => (one.querySelector("legend") ?? one.labels[0]).textContent).join(", ");
  document.getElementById("unsent")?.remove();
  const says = gettext("Not saved. Still open: %(names)s", { names });
  form.prepend(make("p", { id: "unsent", className: "notice bad", "role": "alert" }, says));
  form.firstChild.scrollIntoView({ block: "nearest", behavior: "instant" });
});
