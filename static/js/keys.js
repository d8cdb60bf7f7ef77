// Keys: never while somebody types or an input method composes, and none of them decides anything.

const SWITCH = "keys";
let off = false;
try { off = localStorage.getItem(SWITCH) === "off"; } catch { /* no storage: the switch holds for this page */ }
const areOff = () => off;

function turn(on) {
  off = !on;
  try { localStorage.setItem(SWITCH, on ? "on" : "off"); } catch { /* as above */ }
}

function typing(target) {
  return target.isContentEditable || target.matches?.("textarea, select, input:not([type=radio], [type=checkbox])");
}

function stepRow(by) {
  const rows = [...document.querySelectorAll("[data-row]")];
  if (!rows.length) return;
  const place = rows.indexOf(document.activeElement);
  const next = place < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(place + by, 0), rows.length - 1);
  rows[next].focus();
}

function press(key) {
  if (key === "j" || key === "k") { stepRow(key === "j" ? 1 : -1); return true; }
  const found = [...document.querySelectorAll("[data-key]")].find((element) => element.dataset.key === key && element.offsetParent);
  if (!found) return false;
  found.click();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.keyCode === 229) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const button = event.target.closest?.("form")?.querySelector("[data-confirm]");
    if (button) { event.preventDefault(); button.click(); }
    return;
  }
  if (event.key === "Escape") {
    for (const popup of document.querySelectorAll("[data-popup][open]")) { popup.open = false; popup.querySelector("summary").focus(); }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || areOff() || typing(event.target) || document.querySelector("dialog[open]")) return;
  if (press(event.key)) event.preventDefault();
});

/** <keys-switch>: turns the single letters off (WCAG 2.1.4). */
customElements.define("keys-switch", class extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    const label = document.createElement("span");
    label.textContent = this.dataset.label;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button";
    const show = () => {
      button.setAttribute("aria-pressed", String(!areOff()));
      button.setAttribute("aria-label", this.dataset.label);
      button.textContent = areOff() ? this.dataset.off : this.dataset.on;
      document.documentElement.toggleAttribute("data-no-keys", areOff());
    };
    button.addEventListener("click", () => { turn(areOff()); show(); });
    show();
    this.append(label, button);
  }
});
