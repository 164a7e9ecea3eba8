// [data-seats] > li: the order of the rows is the order of the seats. [data-move="up|down"] are submit
// buttons; with scripts they move the row at once. [data-grip] is dragged, or moved with the arrow keys,
// and a tap on it shows the two buttons. The numbers in the rows' labels are kept up to date. After "Same
// as last time" the seats are scrolled into view.
import { announce, eachNew, gettext, on } from "./page.js";

function renumber(list) {
  [...list.children].forEach((row, i) => {
    const numbered = (text) => text.replace(/\d+/, i + 1);
    for (const name of ["aria-label", "placeholder"]) {
      for (const part of row.querySelectorAll(`[${name}]`)) part.setAttribute(name, numbered(part.getAttribute(name)));
    }
    for (const label of row.querySelectorAll("label:not(.first-deal)")) label.textContent = numbered(label.textContent);
    for (const press of row.querySelectorAll("[data-move]")) press.value = numbered(press.value);
    for (const number of row.querySelectorAll("[data-seat]")) number.value = i + 1;
  });
  announce(list);
}

function move(row, down) {
  const other = down ? row.nextElementSibling : row.previousElementSibling;
  if (!other) return;
  if (down) row.before(other);
  else row.after(other);
  const list = row.parentElement;
  renumber(list);
  const number = [...list.children].indexOf(row) + 1;
  document.querySelector("[data-seats-told]").textContent = gettext("Now in seat %(number)s", { number });
}

on("click", "[data-grip]", (grip, { detail }) => detail || grip.closest("li").classList.toggle("moving")); // Enter

on("click", "[data-seats] [data-move]", (press, event) => {
  event.preventDefault();
  // Enter in a name presses the form's first button, which must not move a seat.
  if (event.detail > 0 || document.activeElement === press) move(press.closest("li"), press.dataset.move === "down");
});

on("keydown", "[data-grip]", (grip, event) => {
  if (!["ArrowUp", "ArrowDown"].includes(event.key)) return;
  event.preventDefault();
  move(grip.closest("li"), event.key === "ArrowDown");
  grip.focus();
});

on("pointerdown", "[data-grip]", (grip, event) => {
  if (event.button) return;
  event.preventDefault();
  const row = grip.closest("li");
  const begun = event.clientY;
  let from = begun + scrollY;
  let isDragged = false;
  const shift = (y) => (row.style.transform = `translateY(${y - from}px)`);
  const drag = ({ clientY }) => {
    const y = clientY + scrollY;
    isDragged ||= Math.abs(clientY - begun) > 5;
    const middle = row.offsetTop + row.offsetHeight / 2 + (y - from);
    const { previousElementSibling: above, nextElementSibling: below } = row;
    const before = row.offsetTop;
    // The neighbour moves, not the row: taking the row out of the page would lose the pointer.
    if (above && middle < above.offsetTop + above.offsetHeight / 2) row.after(above);
    else if (below && middle > below.offsetTop + below.offsetHeight / 2) row.before(below);
    from += row.offsetTop - before;
    shift(y);
  };
  const drop = () => {
    grip.removeEventListener("pointermove", drag);
    row.classList.remove("held");
    row.style.transform = "";
    if (isDragged) renumber(row.parentElement);
    else row.classList.toggle("moving");
  };
  grip.setPointerCapture(event.pointerId);
  row.classList.add("held");
  grip.addEventListener("pointermove", drag);
  grip.addEventListener("lostpointercapture", drop, { once: true });
});

// Enter goes to the next name, and after the last one to the button that adds a seat.
on("keydown", "[data-seats] input[name=name]", (field, event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  const names = [...field.form.querySelectorAll("[data-seats] input[name=name]")];
  (names[names.indexOf(field) + 1] ?? field.form.querySelector("[name=more]") ?? field).focus();
});

// So that going back to this form asks the server for it, even if it was the answer to a POST.
eachNew("[data-seats]", () => history.replaceState(history.state, ""));

// What is filled in next, after a button of this name.
const NEXT = { more: "[data-seats] > :last-child [name=name]", draw: "[data-seats] select[name=drew]" };

// -- entries made while a request is under way ---------------------------------------------------------
// The answer would replace the form without them. So the request is sent again, with the new entries.
let pending = null; // the context of the request that has no answer yet
let pressed = ""; // the name of its button, which the answer can replace

document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  pending = ctx;
  pressed = ctx.sourceElement.name;
});
on(["input", "change"], "#setup", () => pending?.sourceElement.click());
document.addEventListener("htmx:finally:request", ({ detail }) => pending === detail.ctx && (pending = null));
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  pending = null;
  // Somebody may be typing already.
  if (pressed in NEXT && !document.activeElement.matches("input, select")) document.querySelector(NEXT[pressed])?.focus();
  if (ctx?.sourceElement.id === "last") document.querySelector("[data-seats]")?.scrollIntoView({ block: "nearest", behavior: "instant" });
});
