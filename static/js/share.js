// What is handed on: an address, a result, or paper. Each way shows where the browser can do it.
//   [data-share="address"]   hands it to another app, [data-copy="text"] to the clipboard; on plain
//                            HTTP only the old way of copying is there, and [data-copied] says so
//   a[data-share-text="text"] hands on the text with the picture that a[data-picture] leads to, or leads
//                            to both on the page; a[data-picture] saves a PNG, drawn here, with the
//                            phone's own letters
//   [data-print]             opens the print dialogue
import { gettext, make, on } from "./page.js";

const share = document.querySelector("[data-share]");
const copy = document.querySelector("[data-copy]");
const result = document.querySelector("[data-share-text]");
const link = document.querySelector("a[data-picture]");

// Shows the button where the browser can hand something on: what `given` answers when it is tapped.
function offer(press, given) {
  if (!press || !navigator.share) return;
  press.hidden = false;
  press.addEventListener("click", (event) => {
    event.preventDefault();
    navigator.share(given()).catch(() => {});
  });
}

offer(share, () => ({ title: share.dataset.shareTitle, url: share.dataset.share }));

async function picture() {
  const drawn = await (await fetch(link.href)).text();
  const image = make("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn)}` });
  await image.decode();
  const canvas = make("canvas", { width: image.naturalWidth, height: image.naturalHeight });
  canvas.getContext("2d").drawImage(image, 0, 0);
  const png = await new Promise((done) => canvas.toBlob(done, "image/png"));
  link.file = new File([png], "result.png", { type: png.type });
  link.href = canvas.toDataURL("image/png");
  link.download = link.file.name;
}

// Drawn early: a browser shares only what is ready when the button is tapped.
if (link) picture().catch(() => {}); // then the link leads to the drawing itself
offer(result, () => {
  const text = { text: result.dataset.shareText };
  const all = link?.file && { ...text, files: [link.file] };
  return all && navigator.canShare?.(all) ? all : text;
});

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
    say(gettext("Copied. Paste it into a message to the others."));
  } catch {
    say(gettext("This browser cannot copy. Press and hold the text above instead."));
  }
});

on("click", "[data-print]", () => print());
