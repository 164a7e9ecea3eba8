// input[data-split="5"]: which of the cards tapped in its step a player sets apart, as text. In its
// place stand the cards themselves, to be tapped. Without scripts the text is typed.
import { everywhere } from "./everywhere.js";

const texts = (field) => field.value.toUpperCase().split(/[\s,]+/).filter(Boolean);

function choose(field) {
  const pressed = [...field.nextElementSibling.querySelectorAll("[aria-pressed=true]")];
  field.value = pressed.map((key) => key.value).join(" ");
  field.dispatchEvent(new Event("change", { bubbles: true }));
}

function draw(field) {
  const step = field.closest("[data-step]");
  if (!field.nextElementSibling?.matches(".apart")) {
    const made = document.createElement("div");
    made.className = "apart";
    made.setAttribute("role", "group");
    made.setAttribute("aria-label", field.labels[0].textContent);
    field.after(made);
    field.hidden = true;
  }
  const left = texts(field);
  const keys = [...step.querySelectorAll("input[data-card]:checked")].map((input) => {
    const at = left.indexOf(input.dataset.card);
    if (at >= 0) left.splice(at, 1);
    const key = document.createElement("button");
    key.type = "button";
    key.className = "k";
    key.value = input.dataset.card;
    key.setAttribute("aria-label", input.getAttribute("aria-label").replace(/,.*/, ""));
    key.setAttribute("aria-pressed", at >= 0);
    key.append(input.nextElementSibling.cloneNode(true));
    key.addEventListener("click", () => {
      key.setAttribute("aria-pressed", key.getAttribute("aria-pressed") !== "true");
      choose(field);
    });
    return key;
  });
  field.nextElementSibling.replaceChildren(...keys);
  field.value = keys.filter((key) => key.getAttribute("aria-pressed") === "true").map((key) => key.value).join(" ");
}

const all = (root) => root.querySelectorAll("[data-split]").forEach(draw);
document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-split]")) return;
  const within = target.closest?.("[data-step]") ?? target;
  if (within.querySelectorAll) all(within);
});
document.addEventListener("reset", ({ target }) => setTimeout(all, 0, target));
everywhere(() => all(document));
