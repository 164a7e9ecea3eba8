// [data-of-address] around radios: the one that the page's address names (?player=1) is chosen. A copy
// of a page, kept for when there is no network, serves for several addresses. [data-of-address="hand"]:
// what the address says of that is in this hidden field, or in these words.
import { everywhere } from "./everywhere.js";

everywhere(() => {
  const named = new URLSearchParams(location.search);
  for (const place of document.querySelectorAll("[data-of-address]")) {
    const value = named.get(place.dataset.ofAddress);
    if (value && place.type === "hidden") place.value = value;
    else if (value) place.textContent = value;
    for (const radio of place.querySelectorAll("[type=radio]")) {
      if (radio.value === named.get(radio.name)) radio.checked = radio.defaultChecked = true;
    }
    delete place.dataset.ofAddress; // what is chosen from now on stays
  }
});
