// What is typed while an answer is on its way that will replace the form outlives it: the fields
// (by their ids) that were changed after the request went keep what was typed.
let sent = new Map();
let typed = new Map();

const fields = () => document.querySelectorAll("input[id]:not([type=hidden], [type=radio], [type=checkbox]), select[id]");
const on = (name, work) => document.addEventListener(name, work);

on("htmx:before:request", () => {
  sent = new Map([...fields()].map((field) => [field.id, field.value]));
});

on("htmx:before:swap", () => {
  const changed = [...fields()].filter((field) => sent.has(field.id) && sent.get(field.id) !== field.value);
  typed = new Map(changed.map((field) => [field.id, field.value]));
});

on("htmx:after:swap", () => {
  for (const [id, value] of typed) {
    const field = document.getElementById(id);
    if (!field) continue;
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true })); // for whoever keeps what is entered
  }
  typed = new Map();
});
