// A form and the button that it is sent with, where the browser does not do it by itself.

// What is sent: the button that was pressed, too. Before iOS 16.4, Chrome 112 and Firefox 111 FormData
// takes no button and says nothing about it.
export function entered(form, press) {
  const fields = new FormData(form);
  if (press?.name) fields.append(press.name, press.value);
  return fields;
}

// Send a form as a tap on this button of it does, or as Enter does. iOS 15 has no requestSubmit.
export function submit(form, press) {
  if (press) return press.click();
  const made = document.createElement("button");
  made.hidden = true;
  form.append(made);
  made.click();
  made.remove();
}
