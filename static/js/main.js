// The pages' behaviour. Every page works without it; each element here only adds to a form or link.
import "./live.js";
import "./notify.js";
import "./keys.js";
import "./changes.js";
import "./queue.js";
import "./review.js";
import "./remarks.js";
import "./seen.js";
import "./session.js";
import { focusMarked } from "./page.js";

const units = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60]];

/** Relative times grow old while a page stays open. */
function refreshTimes() {
  const words = new Intl.RelativeTimeFormat(document.documentElement.lang || "en", { numeric: "auto" });
  for (const time of document.querySelectorAll("time[data-relative]")) {
    const age = (Date.now() - Date.parse(time.dateTime)) / 1000;
    const unit = units.find(([, seconds]) => Math.abs(age) >= seconds);
    if (unit) time.textContent = words.format(-Math.trunc(age / unit[1]), unit[0]);
  }
}

customElements.define("copy-button", class extends HTMLElement {
  connectedCallback() {
    if (!navigator.clipboard || this.firstChild) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = this.dataset.label;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(this.dataset.text);
      button.textContent = this.dataset.done;
      setTimeout(() => { button.textContent = this.dataset.label; }, 2000);
    });
    this.append(button);
  }
});

document.addEventListener("click", (event) => {
  for (const popup of document.querySelectorAll("[data-popup][open]")) {
    if (!popup.contains(event.target)) popup.open = false;
  }
});

setInterval(() => { if (!document.hidden) refreshTimes(); }, 30000);
focusMarked(document);
