// Cards and melds as the server shows them, from the cards of the form's own grid.
import { cardOf } from "./course.js";

export function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export const inputOf = (form, card) => form.querySelector(`#cards [data-card="${card}"]`);
const face = (form, card) => inputOf(form, card)?.closest(".c").querySelector("b").cloneNode(true) ?? card;
const nameOf = (form, card) => inputOf(form, card)?.getAttribute("aria-label").split(",")[0] ?? card;

function chip(form, text) {
  const [card, stands] = text.split("=");
  const made = make("span", { className: stands ? "k as" : "k" }, face(form, card));
  const name = nameOf(form, card);
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", stands ? `${name} for the ${nameOf(form, stands)}` : name);
  if (!stands) return made;
  made.append(" for ", face(form, stands));
  return made;
}

export const meld = (form, texts) => make("span", { className: "meld" }, ...texts.flatMap((text) => [chip(form, text), " "]).slice(0, -1));
export const isWild = (form, text) => !text.includes("=") && inputOf(form, cardOf(text))?.dataset.wild !== undefined;
