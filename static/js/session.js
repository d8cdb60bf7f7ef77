// The session page: the timeline follows the log, and the reader only while at its end.
import { coalesced, cookie, fragment, swapRegions } from "./page.js";

const NEAR = 160;
const BATCH = 200; // events that one fragment tells of

class SessionLog extends HTMLElement {
  connectedCallback() {
    this.timeline = this.querySelector("[data-timeline]");
    this.below = this.querySelector("[data-below]");
    this.seq = Number(this.timeline.querySelector("[data-seq]")?.dataset.seq ?? 0);
    this.refresh = coalesced(() => this.load());
    this.onHint = () => { if ("live" in this.dataset) this.refresh(); };
    document.addEventListener("hint", this.onHint);
    document.addEventListener("resync", this.onHint);
    this.addEventListener("click", (event) => this.clicked(event));
    if ("live" in this.dataset && (location.hash === "#end" || !location.hash)) {
      if (!document.querySelector("[data-focus]")) this.toEnd();
    }
    this.addEventListener("submit", () => this.freshToken(), true);
  }

  disconnectedCallback() {
    document.removeEventListener("hint", this.onHint);
    document.removeEventListener("resync", this.onHint);
  }

  get atEnd() {
    return window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - NEAR;
  }

  toEnd() {
    window.scrollTo(0, document.documentElement.scrollHeight);
    if (this.below) this.below.hidden = true;
  }

  async load() {
    let more = true;
    while (more) {
      const before = this.seq;
      const content = await fragment(`${this.dataset.lines}?after=${this.seq}`);
      this.take(content);
      more = this.seq - before >= BATCH;
    }
    swapRegions(this, await fragment(this.dataset.state));
    this.freshToken();
  }

  /** Replace the lines that changed, add the new ones; follow when the reader was at the end. */
  take(content) {
    const follow = this.atEnd;
    let added = 0;
    for (const line of content.querySelectorAll("[data-line]")) {
      const old = document.getElementById(line.id);
      if (old) keepOpen(old, line);
      else { this.timeline.append(line); added += 1; }
    }
    const seq = Number(content.querySelector("[data-seq]")?.dataset.seq ?? this.seq);
    if (seq > this.seq) this.seq = seq;
    if (follow) this.toEnd();
    else if (added && this.below) this.below.hidden = false;
  }

  clicked(event) {
    const older = event.target.closest("[data-before]");
    if (older) { event.preventDefault(); this.older(older); }
    if (event.target.closest("[data-below]")) this.toEnd();
  }

  /** Put the older lines above, without moving what is being read. */
  async older(link) {
    link.setAttribute("aria-busy", "true");
    let content;
    try { content = await fragment(`${this.dataset.lines}?before=${link.dataset.before}`); } catch { location.assign(link.href); return; }
    for (const line of content.querySelectorAll("[data-call]")) {
      // A result that stood alone belongs to the call that came in now.
      for (const orphan of this.timeline.querySelectorAll(`[data-call="${CSS.escape(line.dataset.call)}"]`)) {
        if (orphan.id && !content.getElementById(orphan.id) && orphan.querySelector(".gist bdi")?.textContent === "") orphan.remove();
      }
    }
    content.querySelector("[data-seq]")?.remove();
    const height = document.documentElement.scrollHeight;
    const item = link.closest("[data-older]");
    const first = item.nextElementSibling;
    item.replaceWith(content);
    window.scrollBy(0, document.documentElement.scrollHeight - height);
    if (first) { first.tabIndex = -1; first.focus({ preventScroll: true }); }
  }

  freshToken() {
    const token = cookie("csrftoken");
    if (!token) return;
    for (const field of this.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = token;
  }
}

function keepOpen(old, line) {
  const wasOpen = old.querySelector("details")?.open;
  const held = old.contains(document.activeElement);
  old.replaceWith(line);
  if (wasOpen && line.querySelector("details")) line.querySelector("details").open = true;
  if (held) line.querySelector("summary, a")?.focus({ preventScroll: true });
}

customElements.define("session-log", SessionLog);
