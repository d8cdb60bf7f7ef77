// The queue: new cards are announced above the list and come in when the person asks.
import { announce, coalesced, fragment } from "./page.js";

class QueueList extends HTMLElement {
  connectedCallback() {
    if (!("live" in this.dataset)) return;
    this.list = this.querySelector("[data-rows]");
    this.arrivals = this.querySelector("[data-arrivals]");
    this.refresh = coalesced(() => this.load());
    this.opened = 0;
    this.onHint = ({ detail }) => {
      if (detail.kind?.endsWith(".opened")) this.opened += 1;
      this.refresh();
    };
    document.addEventListener("hint", this.onHint);
    document.addEventListener("resync", this.onHint);
    this.arrivals.querySelector("button").addEventListener("click", () => this.insert());
  }

  disconnectedCallback() {
    document.removeEventListener("hint", this.onHint);
    document.removeEventListener("resync", this.onHint);
  }

  async load() {
    this.fresh = await fragment(this.dataset.url);
    const shown = new Map([...this.list.querySelectorAll("[data-card]")].map((row) => [row.dataset.card, row]));
    const rows = [...this.fresh.querySelectorAll("[data-card]")];
    if (!shown.size) { this.insert(); return; }
    if (this.dataset.tab === "open") this.markGone(shown, new Set(rows.map((row) => row.dataset.card)));
    this.tell(rows.filter((row) => !shown.has(row.dataset.card)));
    // The list begins with the longest wait: on a full page a new card stands on a later one.
    if (this.opened && this.arrivals.hidden && this.dataset.tab === "open" && this.fresh.querySelector(".pager")) this.tellLater();
    this.opened = 0;
  }

  tellLater() {
    this.arrivals.hidden = false;
    this.arrivals.querySelector("[data-one]").textContent = "";
    this.arrivals.querySelector("[data-titles]").textContent = this.dataset.later;
    announce(this.dataset.later);
  }

  /** What was answered stays where it is, and says so. */
  markGone(shown, waiting) {
    for (const [id, row] of shown) {
      if (waiting.has(id) || "gone" in row.dataset) continue;
      row.dataset.gone = "";
      const state = row.querySelector(".state");
      state.className = "state state-withdrawn";
      state.textContent = this.dataset.gone;
    }
  }

  tell(rows) {
    this.arrivals.hidden = !rows.length;
    if (!rows.length) return;
    const count = this.arrivals.querySelector("[data-one]");
    const words = rows.length === 1 ? count.dataset.one : count.dataset.many.replace("{n}", rows.length);
    const titles = rows.map((row) => row.dataset.title).slice(0, 3).join(" · ");
    count.textContent = words;
    this.arrivals.querySelector("[data-titles]").textContent = titles;
    announce(`${words} ${titles}`);
  }

  /** Put the fetched list in place; the card that had the focus keeps it. */
  insert() {
    if (!this.fresh) return;
    const known = new Set([...this.list.querySelectorAll("[data-card]")].map((row) => row.dataset.card));
    const asked = this.arrivals.contains(document.activeElement);
    const focused = document.activeElement?.closest("[data-card]")?.dataset.card;
    this.list.replaceChildren(this.fresh);
    this.fresh = null;
    this.arrivals.hidden = true;
    const rows = [...this.list.querySelectorAll("[data-card]")];
    const news = rows.filter((row) => !known.has(row.dataset.card));
    for (const row of news) row.classList.add("fresh");
    this.count(rows.length);
    if (news.length && !known.size) announce(news.map((row) => row.dataset.title).slice(0, 3).join(" · "));
    const target = rows.find((row) => row.dataset.card === focused) ?? (asked ? news[0] : null);
    target?.querySelector("[data-row]")?.focus();
  }

  count(rows) {
    const count = document.querySelector("[data-count]");
    if (!count) return;
    const more = this.list.querySelector(".pager") ? "+" : "";
    count.textContent = rows + more;
    const bare = document.title.replace(/^\(\d+\+?\) /, "");
    document.title = rows ? `(${rows}${more}) ${bare}` : bare;
  }
}

customElements.define("queue-list", QueueList);
