// What is handed on: an address, or paper. Each way shows where the browser can do it.
//   [data-share="address"]   hands it to another app, [data-copy="address"] to the clipboard; on plain
//                            HTTP only the old way of copying is there, and [data-copied] says so
//   [data-print]             opens the print dialogue, in the place of [data-print-by-menu], which says
//                            how to find it
import { everywhere, make } from "./page.js";

const share = document.querySelector("[data-share]");
const copy = document.querySelector("[data-copy]");

if (share && navigator.share) {
  share.hidden = false;
  share.addEventListener("click", () => {
    navigator.share({ title: share.dataset.shareTitle, url: share.dataset.share }).catch(() => {});
  });
}

function oldCopy(text) {
  const field = make("textarea", { value: text });
  copy.after(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  copy.focus();
  if (!done) throw new Error();
}

function say(sentence) {
  const said = document.querySelector("[data-copied]");
  said.textContent = sentence;
  said.hidden = false;
}

if (copy) copy.hidden = !(navigator.clipboard || document.queryCommandSupported?.("copy"));
copy?.addEventListener("click", async () => {
  try {
    await (navigator.clipboard ? navigator.clipboard.writeText(copy.dataset.copy) : oldCopy(copy.dataset.copy));
    say("The address is copied: paste it where the others read it.");
  } catch {
    say("This browser does not let pages copy. Press long on the address above instead.");
  }
});

everywhere(() => {
  for (const button of document.querySelectorAll("[data-print]")) button.hidden = false;
  for (const words of document.querySelectorAll("[data-print-by-menu]")) words.hidden = true;
});
document.addEventListener("click", ({ target }) => target.closest("[data-print]") && print());
