// Where the marker goes when a script has sent a form: to the next page (true: this one is left), or
// to what was answered.

export function goOn(address) {
  const to = new URL(address, location.href);
  if (to.pathname + to.search === location.pathname + location.search) {
    history.replaceState(null, "", to);
    // What was done is told at the top; a reload stays where the page was.
    scrollTo(0, 0);
    location.reload();
  } else location.assign(to);
  return true;
}

// The page that the server answered with, in the place of the one that is open.
export function show(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const one of page.querySelectorAll("noscript")) one.remove();
  document.title = page.title;
  // What the page that was open had no use for.
  for (const style of page.querySelectorAll("link[rel=stylesheet]")) {
    if (!document.querySelector(`link[href="${style.getAttribute("href")}"]`)) document.head.append(document.importNode(style, true));
  }
  const token = (of) => of.querySelector('meta[name="csrf-token"]');
  if (token(page)) token(document).content = token(page).content;
  for (const { name } of [...document.body.attributes]) document.body.removeAttribute(name);
  for (const { name, value } of page.body.attributes) document.body.setAttribute(name, value);
  document.body.replaceChildren(...page.body.childNodes);
  scrollTo(0, 0);
  window.htmx?.process(document.body);
  document.dispatchEvent(new Event("htmx:after:swap"));
}

// What such a page says is wrong.
export function words(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const said = [...page.querySelectorAll(".summary li, .error, #meanwhile ~ ul li")];
  const text = (said.length ? said : [...page.querySelectorAll("main :is(h1, .lead, .says)")]).map((one) => one.textContent.trim());
  return [...new Set(text)].join(" ");
}
