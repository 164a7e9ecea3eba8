// [data-seats] > li: the order of the rows is the order of the seats. [data-move="up|down"] are submit
// buttons that move the row at once where scripts run; [data-grip] is dragged, or moved with the arrow
// keys, and a tap on it shows the two buttons. Numbers in the rows' labels follow. After "Same as last
// time" the seats come into sight.
import { announce, eachNew, gettext, on } from "./page.js";

function renumber(list) {
  [...list.children].forEach((row, i) => {
    const fresh = (text) => text.replace(/\d+/, i + 1);
    for (const at of ["aria-label", "placeholder"]) {
      for (const part of row.querySelectorAll(`[${at}]`)) part.setAttribute(at, fresh(part.getAttribute(at)));
    }
    for (const label of row.querySelectorAll("label:not(.first-deal)")) label.textContent = fresh(label.textContent);
    for (const press of row.querySelectorAll("[data-move]")) press.value = fresh(press.value);
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
  // Enter in a name presses the form's first button: that is not a wish to move a seat.
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
    const was = row.offsetTop;
    // The neighbour moves, not the row: taking the row out of the page would lose the pointer.
    if (above && middle < above.offsetTop + above.offsetHeight / 2) row.after(above);
    else if (below && middle > below.offsetTop + below.offsetHeight / 2) row.before(below);
    from += row.offsetTop - was;
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

// Going back to this form asks the server for it, even where it was the answer to a POST.
eachNew("[data-seats]", () => history.replaceState(history.state, ""));

// -- what is entered while an answer is on its way -------------------------------------------------------
// The answer would replace the form as it was. It is asked for once more, with what was entered since.
let asked = null; // what the answer that is awaited was asked with

document.addEventListener("htmx:before:request", ({ detail }) => (asked = detail.ctx));
for (const kind of ["input", "change"]) on(kind, "#setup", () => asked?.sourceElement.click());
document.addEventListener("htmx:finally:request", ({ detail }) => asked === detail.ctx && (asked = null));
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  asked = null;
  if (ctx?.sourceElement.id === "last") document.querySelector("[data-seats]")?.scrollIntoView({ block: "nearest", behavior: "instant" });
});
