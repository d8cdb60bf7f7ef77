import { wanted } from "./notify.js";

// The hint socket. It says "look"; what there is to see comes over HTTP.

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30000;
const NOTICE_AFTER = 3000;
const OFFLINE_AFTER = 30000;

/** Whether the server ended the socket for good: logged out, not allowed, not understood. */
const isFinal = (code) => code === 1009 || (code >= 4400 && code < 4500);

/**
 * <live-feed data-path="/ws/feed" data-after="12">: dispatches "hint" on the document for each message, and
 * "resync" when the page may have missed something and should fetch what it shows again.
 */
class LiveFeed extends HTMLElement {
  connectedCallback() {
    this.after = this.dataset.after;
    this.wait = FIRST_WAIT;
    this.lastHeard = new Date();
    this.onVisible = () => this.visibilityChanged();
    this.onOnline = () => { if (!this.socket && !this.ended) this.open(); };
    document.addEventListener("visibilitychange", this.onVisible);
    window.addEventListener("online", this.onOnline);
    if (!document.hidden) this.open();
  }

  disconnectedCallback() {
    document.removeEventListener("visibilitychange", this.onVisible);
    window.removeEventListener("online", this.onOnline);
    this.close();
  }

  open() {
    clearTimeout(this.retry);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${this.dataset.path}?after=${encodeURIComponent(this.after)}`);
    this.socket = socket;
    socket.addEventListener("open", () => { if (socket === this.socket) this.opened(); });
    socket.addEventListener("message", (event) => { if (socket === this.socket) this.heard(event.data); });
    socket.addEventListener("close", (event) => { if (socket === this.socket) this.lost(event.code); });
  }

  close() {
    clearTimeout(this.retry);
    clearTimeout(this.notice);
    clearTimeout(this.offline);
    const socket = this.socket;
    this.socket = null;
    if (socket) socket.close();
  }

  opened() {
    clearTimeout(this.notice);
    clearTimeout(this.offline);
    this.lostAt = null;
    this.show("live");
    if (this.missed) { this.missed = false; this.tell("resync", {}); }
    // A socket that is refused opens, too, and closes at once: only one that holds resets the wait.
    this.steady = setTimeout(() => { this.wait = FIRST_WAIT; }, 2000);
  }

  heard(text) {
    const hint = JSON.parse(text);
    this.lastHeard = new Date();
    const place = hint.cursor ?? hint.seq;
    if (place !== undefined) this.after = place;
    this.tell("hint", { ...hint, path: this.dataset.path });
  }

  lost(code) {
    clearTimeout(this.steady);
    this.socket = null;
    if (isFinal(code)) { this.ended = true; this.show("ended"); return; }
    this.missed = true;
    if (!this.lostAt) {
      this.lostAt = new Date();
      this.notice = setTimeout(() => this.show("reconnecting"), NOTICE_AFTER);
      this.offline = setTimeout(() => this.show("offline"), OFFLINE_AFTER);
    }
    if (document.hidden && !wanted()) return;
    this.retry = setTimeout(() => this.open(), this.wait * (0.5 + Math.random() / 2));
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }

  visibilityChanged() {
    if (this.ended) return;
    if (document.hidden && wanted()) return;
    if (document.hidden) { this.missed = true; this.close(); return; }
    this.wait = FIRST_WAIT;
    if (!this.socket) this.open();
  }

  show(state) {
    if ("quiet" in this.dataset) return;
    this.dataset.state = state;
    const time = (this.lostAt ?? this.lastHeard).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    this.textContent = (this.dataset[state] ?? "").replace("{time}", time);
  }

  tell(name, detail) {
    document.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

customElements.define("live-feed", LiveFeed);
