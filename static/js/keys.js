// Keys: never while somebody types or an input method composes, and none of them decides anything.

const SWITCH = "keys";
const map = JSON.parse(document.getElementById("key-map")?.textContent ?? "{}");
const handlers = new Map();
let off = false;
let begun = "";
try { off = localStorage.getItem(SWITCH) === "off"; } catch { /* no storage: the switch holds for this page */ }
const areOff = () => off;

/** Give an action without an element of its own (`data-action`) to `handler`, which returns whether it did anything. */
export function onKey(action, handler) { handlers.set(action, handler); }

function turn(on) {
  off = !on;
  try { localStorage.setItem(SWITCH, on ? "on" : "off"); } catch { /* as above */ }
}

const TYPES = "textarea, select, input:not([type=radio], [type=checkbox])";
const typing = (target) => target.isContentEditable || target.matches?.(TYPES);

function stepRow(by) {
  const rows = [...document.querySelectorAll("[data-row]")];
  if (!rows.length) return false;
  const place = rows.findIndex((row) => row.contains(document.activeElement));
  const next = place < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(place + by, 0), rows.length - 1);
  rows[next].focus();
  return true;
}

const forRows = {
  next: () => stepRow(1),
  previous: () => stepRow(-1),
  open() {
    const row = document.activeElement.closest("[data-row]");
    row?.click();
    return Boolean(row);
  },
};

function stepTab(by) {
  const tabs = [...document.querySelectorAll(".tabs a")];
  const tab = tabs[tabs.findIndex((one) => one.hasAttribute("aria-current")) + by];
  tab?.click();
  return Boolean(tab);
}

const forTabs = { "next-part": () => stepTab(1), "previous-part": () => stepTab(-1) };
const elements = (action) => [...document.querySelectorAll(`[data-action="${action}"]`)];
const usable = (action) => handlers.has(action) || elements(action).length > 0
  || (action in forRows && document.querySelector("[data-row]") !== null)
  || (action in forTabs && document.querySelector(".tabs a") !== null);

/** Do `action`: by the first element of that name that is shown, or by who asked for it. */
function act(action) {
  const element = elements(action).find((one) => one.checkVisibility());
  if (element) {
    if (element.matches(TYPES)) element.focus(); else element.click();
    return true;
  }
  return handlers.get(action)?.() || (forRows[action] ?? forTabs[action])?.() || false;
}

function press(key) {
  const pressed = begun ? `${begun} ${key}` : key;
  begun = "";
  const actions = Object.keys(map);
  if (actions.filter((action) => map[action] === pressed).some(act)) return true;
  if (!actions.some((action) => map[action].startsWith(`${pressed} `) && usable(action))) return false;
  begun = pressed;
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
  if (event.key.length === 1 && press(event.key)) event.preventDefault();
});

/** The help lists what works on this page now. */
function help() {
  const dialog = document.getElementById("keys");
  if (!dialog) return false;
  for (const row of dialog.querySelectorAll("[data-shortcut]")) row.hidden = !usable(row.dataset.shortcut);
  dialog.showModal();
  return true;
}

onKey("help", help);
document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-help]")) help();
  const close = target.closest("#keys [data-close]");
  if (close) close.closest("dialog").close();
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
