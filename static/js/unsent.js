// What the server would ask about does not wait for it: by then nobody may remember. A form that gets no answer
// (see outbox.js) is not kept while nobody is chosen in its #player, #turn, #asked or #last_taker, a house penalty
// lacks its reason or points, or a play its cards. A recorded meld, of form#play, needs no player, and taking the pile
// no cards. The end of a hand is end.js's.
import { gettext, make, on } from "./page.js";

on("unsent", "form:not(.end)", (form, event) => {
  const { press } = event.detail;
  const isMeld = form.id === "play" && press?.value === "meld";
  const whos = isMeld ? [] : [...form.querySelectorAll(":is(#player, #turn)[role=radiogroup], #asked, #last_taker")];
  const typed = [...(press?.closest("#house")?.querySelectorAll("input") ?? [])];
  const isPlayed = form.querySelector("#cards :checked, .steps li") || press?.value === "take_pile";
  const hasCards = form.id === "play" || /^(meld|lay_off|contract|declare)$/.test(form.elements.ask?.value);
  const grids = hasCards && !isPlayed ? [...form.querySelectorAll("#cards")] : [];
  const open = [...grids, ...whos.filter((who) => !who.querySelector(":checked:not([value=''])")), ...typed.filter(({ value }) => !value.trim())];
  if (!open.length) return;
  event.preventDefault();
  const names = open.map((one) => (one.querySelector("legend") ?? one.labels[0]).textContent).join(", ");
  document.getElementById("unsent")?.remove();
  const says = gettext("Not saved. Still open: %(names)s", { names });
  form.prepend(make("p", { id: "unsent", className: "notice bad", "role": "alert" }, says));
  form.firstChild.scrollIntoView({ block: "nearest", behavior: "instant" });
});
