// Notifications of the browser: opted in, without a word of any plan, once for each event.

const element = () => document.querySelector("[data-notify]");
const possible = "Notification" in window;

/** Whether this page is to tell of what happens while nobody looks at it. */
export const wanted = () => possible && Notification.permission === "granted" && element() !== null;

/** Whether no other tab has told of `event` yet. */
function first(event) {
  try {
    const key = `told:${event}`;
    if (localStorage.getItem(key)) return false;
    for (const old of Object.keys(localStorage)) {
      if (old.startsWith("told:") && Date.now() - Number(localStorage.getItem(old)) > 86400000) localStorage.removeItem(old);
    }
    localStorage.setItem(key, String(Date.now()));
  } catch { /* no storage: the tag below keeps two tabs from showing two */ }
  return true;
}

document.addEventListener("hint", ({ detail }) => {
  const [card, what] = (detail.kind ?? "").split(".");
  if (what !== "opened" || !document.hidden || !wanted()) return;
  const text = element().dataset[card === "plan_review" ? "plan" : card];
  if (!text || !first(`${detail.id}:${what}`)) return;
  const shown = new Notification(text, { tag: detail.id });
  shown.addEventListener("click", () => { window.focus(); shown.close(); });
});

/** <browser-notices data-field="ID">: asks the browser for its permission, in the settings. */
customElements.define("browser-notices", class extends HTMLElement {
  connectedCallback() {
    if (!this.dataset.ask || !possible) return;
    this.hidden = false;
    this.show();
  }

  show() {
    const state = Notification.permission;
    if (state !== "default") { this.textContent = this.dataset[state]; return; }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button";
    button.textContent = this.dataset.ask;
    button.addEventListener("click", async () => { await Notification.requestPermission(); this.show(); });
    this.replaceChildren(button);
  }
});
