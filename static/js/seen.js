// What the reader has had on the screen: blocks count once enough of them stood there for a moment.
import { cookie } from "./page.js";

const MOMENT = 800; // ms that a block has to stay
const SEND_AFTER = 1500;

class BlocksSeen {
  constructor(desk) {
    this.desk = desk;
    this.counter = desk.querySelector("[data-unseen-count]");
    this.waiting = new Map();
    this.toSend = new Set();
    this.observer = new IntersectionObserver((entries) => entries.forEach((entry) => this.met(entry)), { threshold: [0, 0.5, 1] });
    for (const block of desk.querySelectorAll("[data-unseen]")) this.observer.observe(block);
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.send(); });
    this.counter?.querySelector("[data-next-unseen]").addEventListener("click", (event) => this.jump(event));
  }

  /** A block counts when half of it is there, or when it fills half of the window. */
  met(entry) {
    const enough = entry.intersectionRatio >= 0.5 || entry.intersectionRect.height >= window.innerHeight / 2;
    const block = entry.target;
    if (enough && !document.hidden && !this.waiting.has(block)) {
      this.waiting.set(block, setTimeout(() => this.seen(block), MOMENT));
    } else if (!enough) {
      clearTimeout(this.waiting.get(block));
      this.waiting.delete(block);
    }
  }

  seen(block) {
    this.observer.unobserve(block);
    if (block.dataset.unseen === "changed") this.count();
    delete block.dataset.unseen;
    this.toSend.add(block.dataset.block);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), SEND_AFTER);
  }

  count() {
    if (!this.counter) return;
    const left = Number(this.counter.dataset.unseenCount) - 1;
    this.counter.dataset.unseenCount = left;
    for (const counter of document.querySelectorAll("[data-unseen-count]")) {
      counter.hidden = left < 1;
      counter.querySelector("[data-next-unseen]").textContent = left === 1 ? counter.dataset.one : counter.dataset.many.replace("{n}", left);
    }
  }

  jump(event) {
    const next = this.desk.querySelector("[data-unseen=changed]");
    if (!next) return;
    event.preventDefault();
    next.scrollIntoView({ block: "center" });
    next.focus({ preventScroll: true });
  }

  async send() {
    clearTimeout(this.timer);
    if (!this.toSend.size) return;
    const blocks = [...this.toSend];
    this.toSend.clear();
    const body = new URLSearchParams(blocks.map((block) => ["block", block]));
    const headers = { "X-CSRFToken": cookie("csrftoken") };
    try {
      const response = await fetch(this.desk.dataset.seen, { method: "POST", body, headers, credentials: "same-origin", keepalive: true });
      if (!response.ok) throw new Error(response.status);
    } catch { // told with the next ones; the server knows what it has
      for (const block of blocks) this.toSend.add(block);
    }
  }
}

const desk = document.querySelector("review-desk[data-seen]");
if (desk) new BlocksSeen(desk);
