// form[data-settings]: theme, suits and text show at a tap and are sent in the background. The
// Save button stays for where that fails.
document.addEventListener("change", (event) => {
  const form = event.target.closest?.("form[data-settings]");
  if (!form) return;
  if (["theme", "suits", "text"].includes(event.target.name)) {
    document.documentElement.dataset[event.target.name] = event.target.value;
  }
  fetch(form.action, { method: "POST", body: new FormData(form), redirect: "manual" }).catch(() => {});
});
