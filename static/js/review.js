// The review page: sheets as dialogs, decisions sent without losing a word, and what others decide.
import { announce, coalesced, cookie, focusMarked, fragment, swapRegions } from "./page.js";

class ReviewDesk extends HTMLElement {
  connectedCallback() {
    this.refresh = coalesced(() => this.load());
    this.onHint = ({ detail }) => { if (this.concerns(detail)) this.refresh(); };
    this.onResync = () => this.refresh();
    document.addEventListener("hint", this.onHint);
    document.addEventListener("resync", this.onResync);
    this.addEventListener("submit", (event) => this.submitted(event));
    this.addEventListener("click", (event) => this.clicked(event));
    this.addEventListener("change", (event) => this.chosen(event));
    // While a decision is on its way, Escape takes nothing back: the answer decides what is shown.
    this.addEventListener("cancel", (event) => { if (event.target.querySelector("[data-sending]")) event.preventDefault(); }, true);
    if (location.hash === "#decided") document.getElementById("decided")?.focus();
  }

  disconnectedCallback() {
    document.removeEventListener("hint", this.onHint);
    document.removeEventListener("resync", this.onResync);
  }

  /** This card; a new revision of the same plan; or its session's log, while the agent's answer is awaited. */
  concerns(hint) {
    return hint.id === this.dataset.review || hint.kind === "plan_review.opened" || hint.path !== "/ws/feed";
  }

  async load() {
    const view = this.querySelector("#decide [name=view]")?.value ?? "clean";
    const by = new URLSearchParams(location.search).get("by") ?? "";
    const content = await fragment(`${this.dataset.url}?view=${view}&by=${encodeURIComponent(by)}`);
    const wasOpen = !this.querySelector("[data-closed]");
    const changed = swapRegions(this, content);
    for (const form of this.querySelectorAll("[data-decision]")) this.offerCarry(form);
    if (wasOpen && this.querySelector("[data-closed]")) this.closed();
    else if (changed.includes("notice")) announce(this.querySelector("[data-region=notice]").textContent.trim(), "assertive");
  }

  /** Somebody was faster: say so, and take nothing from the person who types. */
  closed() {
    const line = this.querySelector(".result-line").textContent.replace(/\s+/g, " ").trim();
    announce(line, "assertive");
    for (const radio of this.querySelectorAll("[data-option]")) radio.disabled = true;
    for (const form of this.querySelectorAll("[data-decision]")) {
      problem(form, `${this.dataset.lost} ${line}`);
      form.querySelector("[data-confirm]").disabled = true;
      for (const field of form.querySelectorAll("textarea")) field.readOnly = true;
    }
  }

  /** A newer revision took this one's place: what was typed can go there, where nothing is decided yet. */
  offerCarry(form) {
    const { carry, carryLabel } = this.querySelector("[data-newer]")?.dataset ?? {};
    if (!carry || !this.querySelector("[data-closed]") || form.querySelector("[formaction]")) return;
    const button = Object.assign(document.createElement("button"), { className: "button main", textContent: carryLabel });
    button.formAction = carry;
    button.formNoValidate = true;
    button.addEventListener("click", () => { form.elements.view.value = "changes"; });
    form.querySelector(".sheet-buttons").prepend(button);
  }

  chosen({ target }) {
    if (!target.matches("[name=option]")) return;
    for (const other of this.querySelectorAll("[name=option]")) other.checked = other.value === target.value;
  }

  clicked(event) {
    const close = event.target.closest("[data-close]");
    if (close) close.closest("dialog").close();
  }

  submitted(event) {
    const sheet = event.submitter?.dataset.sheet;
    if (sheet) {
      event.preventDefault();
      this.open(document.getElementById(sheet));
    } else if (event.target.matches("[data-decision]") && !event.submitter?.hasAttribute("formaction")) {
      event.preventDefault();
      this.send(event.target);
    }
  }

  open(dialog) {
    dialog.showModal();
    const first = dialog.querySelector("textarea, [name=option]:checked, [name=option]");
    (dialog.querySelector("[name=option]:checked") ? dialog.querySelector("textarea") : first)?.focus();
  }

  async send(form) {
    if (form.dataset.sending) return;
    form.dataset.sending = "yes";
    const confirm = form.querySelector("[data-confirm]");
    confirm.disabled = true;
    try { await this.post(form); } catch { problem(form, this.dataset.unsent); }
    delete form.dataset.sending;
    if (!form.querySelector("textarea[readonly]")) confirm.disabled = false;
  }

  async post(form) {
    const body = new FormData(form);
    // A log-in in another tab changes the token; the cookie has the one that counts.
    body.set("csrfmiddlewaretoken", cookie("csrftoken") || body.get("csrfmiddlewaretoken"));
    const response = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
    if (response.redirected) {
      const there = new URL(response.url);
      if (there.pathname !== location.pathname) { problem(form, this.dataset.login); return; }
      location.replace(`${location.pathname}#decided`);
      location.reload();
      return;
    }
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (!page.querySelector("review-desk")) { problem(form, this.dataset.failed); return; }
    document.querySelector("main").replaceChildren(...page.querySelector("main").childNodes);
    focusMarked(document.querySelector("main"));
  }
}

function problem(form, text) {
  const box = form.querySelector("[data-problems]");
  box.hidden = false;
  box.replaceChildren(Object.assign(document.createElement("p"), { textContent: text }));
  if (form.closest("dialog[open]")) box.focus();
}

customElements.define("review-desk", ReviewDesk);

/** <card-page>: a question or a tool approval that somebody else answered meanwhile. */
customElements.define("card-page", class extends HTMLElement {
  connectedCallback() {
    if (!("waits" in this.dataset)) return;
    this.addEventListener("input", ({ target }) => {
      // Own words are one of the choices: who types them has chosen them.
      if (target.dataset.chooses && target.value) document.getElementById(target.dataset.chooses).checked = true;
    });
    this.onHint = ({ detail }) => { if (detail.id === this.dataset.card) this.closed(); };
    document.addEventListener("hint", this.onHint);
  }

  disconnectedCallback() { if (this.onHint) document.removeEventListener("hint", this.onHint); }

  closed() {
    const form = this.querySelector("form");
    if (!form || this.querySelector("[data-notice]")) { if (!form) location.reload(); return; }
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    for (const field of form.querySelectorAll("textarea")) field.readOnly = true;
    const notice = document.createElement("div");
    notice.className = "banner warn";
    notice.dataset.notice = "";
    const link = Object.assign(document.createElement("a"), { href: location.pathname, textContent: this.dataset.reload });
    notice.append(`${this.dataset.changed} `, link);
    form.before(notice);
    announce(this.dataset.changed, "assertive");
  }
});
