// Sharing, copying and printing. A button shows only if the browser can do what it says.
//   [data-share="address"]     shares an address with another app
//   [data-copy="text"]         copies a text; on plain HTTP with the old command. [data-copied] says if it
//                              worked
//   a[data-share-text="text"]  shares the text and the picture of a[data-picture]; without scripts it leads
//                              to both on the page. a[data-picture] saves a PNG, drawn with the phone's fonts
//   [data-print]               opens the print dialogue
import { gettext, make, on } from "./page.js";

const share = document.querySelector("[data-share]");
const copy = document.querySelector("[data-copy]");
const result = document.querySelector("[data-share-text]");
const link = document.querySelector("a[data-picture]");

// Shows a button if the browser can share. A tap shares what `data` returns.
function offer(press, data) {
  if (!press || !navigator.share) return;
  press.hidden = false;
  press.addEventListener("click", (event) => {
    event.preventDefault();
    navigator.share(data()).catch(() => {});
  });
}

offer(share, () => ({ title: share.dataset.shareTitle, url: share.dataset.share }));

async function picture() {
  const drawn = await (await fetch(link.href)).text();
  const image = make("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawn)}` });
  await image.decode();
  const canvas = make("canvas", { width: image.naturalWidth, height: image.naturalHeight });
  canvas.getContext("2d").drawImage(image, 0, 0);
  const png = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  link.file = new File([png], "result.png", { type: png.type });
  link.href = canvas.toDataURL("image/png");
  link.download = link.file.name;
}

// The picture is drawn early: a browser shares only what is ready when the button is tapped.
if (link) picture().catch(() => {}); // if that fails, the link leads to the drawing itself
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
  const note = document.querySelector("[data-copied]");
  note.textContent = sentence;
  note.hidden = false;
}

if (copy) copy.hidden = !(navigator.clipboard || document.queryCommandSupported?.("copy"));
copy?.addEventListener("click", async () => {
  try {
    await (navigator.clipboard ? navigator.clipboard.writeText(copy.dataset.copy) : oldCopy(copy.dataset.copy));
    say(gettext("Copied. Paste it into a message."));
  } catch {
    say(gettext("This browser cannot copy. Press and hold the text above instead."));
  }
});

on("click", "[data-print]", () => print());
