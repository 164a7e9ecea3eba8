// Asks the browser to keep what waits. `mayForget` is true where it may be forgotten all the same:
// Safari does so after seven days without a visit, unless the page is on the home screen.
const isSafari = "standalone" in navigator || "safari" in window;
const isInstalled = navigator.standalone || matchMedia("(display-mode: standalone)").matches;

async function isKept() {
  try {
    return await navigator.storage.persist(); // Firefox asks its user first
  } catch {
    return false; // none over plain HTTP, and in older browsers
  }
}

export const mayForget = isKept().then((yes) => isSafari && !isInstalled && !yes);
