// [data-share="address"] hands an address to another app, [data-copy="address"] to the clipboard;
// each shows where the browser can do that. On plain HTTP only the old way of copying is there.
const share = document.querySelector("[data-share]");
const copy = document.querySelector("[data-copy]");
const said = document.querySelector("[data-copied]");

if (navigator.share) {
  share.hidden = false;
  share.addEventListener("click", () => {
    navigator.share({ title: share.dataset.shareTitle, url: share.dataset.share }).catch(() => {});
  });
}

function oldCopy(text) {
  const field = document.createElement("textarea");
  field.value = text;
  copy.after(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  copy.focus();
  if (!done) throw new Error();
}

function say(sentence) {
  said.textContent = sentence;
  said.hidden = false;
}

copy.hidden = !(navigator.clipboard || document.queryCommandSupported?.("copy"));
copy.addEventListener("click", async () => {
  try {
    await (navigator.clipboard ? navigator.clipboard.writeText(copy.dataset.copy) : oldCopy(copy.dataset.copy));
    say("The address is copied: paste it where the others read it.");
  } catch {
    say("This browser does not let pages copy. Press long on the address above instead.");
  }
});
