// Remarks: the form follows the block that is commented on, and keeps what is typed.
import { onKey } from "./keys.js";
import { announce, cookie } from "./page.js";

const SAVE_AFTER = 1200;

class RemarkForm {
  constructor(form) {
    this.form = form;
    this.status = form.querySelector("[data-status]");
    form.addEventListener("input", ({ target }) => {
      if (target.name === "suggestion") form.elements.suggests.checked = true;
      this.later();
    });
    form.addEventListener("submit", (event) => this.submitted(event));
    document.addEventListener("click", (event) => this.clicked(event));
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), SAVE_AFTER);
  }

  submitted(event) {
    clearTimeout(this.timer);
    // What is on its way brings back the version that the next one has to name.
    if (this.saving) { event.preventDefault(); const button = event.submitter; this.saving.finally(() => this.form.requestSubmit(button)); }
  }

  /** A block's sign opens the form at the block, without a new page. */
  clicked(event) {
    const sign = event.target.closest("[data-comment]");
    if (!sign || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.about(sign.dataset.comment, "");
  }

  about(lines, selection) {
    const { form } = this;
    if (form.elements.text.value.trim() && form.elements.lines.value !== lines) this.fresh();
    form.elements.lines.value = lines;
    form.elements.selection.value = selection;
    form.scrollIntoView({ block: "nearest" });
    form.elements.text.focus();
    announce(form.querySelector("#remark-title").textContent);
  }

  /** What is typed stays a draft; the form is for another remark from now on. */
  fresh() {
    clearTimeout(this.timer);
    this.save();
    this.form.elements.draft.value = "";
    this.form.elements.version.value = "0";
    this.form.elements.text.value = "";
  }

  save() {
    const { form } = this;
    if (!form.elements.text.value.trim() && !form.elements.suggests.checked) return;
    const body = new FormData(form);
    const keeps = form.elements.draft.value;
    this.saving = this.post(body).then((kept) => {
      if (kept && form.elements.draft.value === keeps) { form.elements.draft.value = kept.draft; form.elements.version.value = kept.version; }
    }).finally(() => { this.saving = null; });
  }

  async post(body) {
    body.set("csrfmiddlewaretoken", cookie("csrftoken") || body.get("csrfmiddlewaretoken"));
    try {
      const response = await fetch(this.form.action, { method: "POST", body, credentials: "same-origin", headers: { Accept: "application/json" } });
      const answer = await response.json();
      if (!response.ok) throw new Error(answer.problem);
      this.status.textContent = this.form.dataset.saved;
      return answer;
    } catch (error) {
      this.status.textContent = error instanceof SyntaxError || error instanceof TypeError ? this.form.dataset.unsaved : error.message;
      return null;
    }
  }
}

const selected = () => {
  const choice = getSelection();
  const block = choice.anchorNode?.parentElement?.closest("[data-first]");
  return block && !choice.isCollapsed && block.contains(choice.focusNode) ? { block, text: choice.toString() } : null;
};

const element = document.querySelector("[data-remark-form]");
if (element) {
  const form = new RemarkForm(element);
  const lines = (block) => `${block.dataset.first}-${block.dataset.last}`;
  onKey("comment", () => {
    const block = document.activeElement?.closest("[data-first]") ?? document.querySelector("[data-first]");
    if (block) form.about(lines(block), "");
    return Boolean(block);
  });
  onKey("comment-selection", () => {
    const at = selected();
    if (at) form.about(lines(at.block), at.text);
    return Boolean(at);
  });
  onKey("comment-plan", () => { form.about("", ""); return true; });
}

function stepRemark(by) {
  const remarks = [...document.querySelectorAll(".remarks [data-remark]")].filter((remark) => remark.checkVisibility());
  if (!remarks.length) return false;
  const place = remarks.findIndex((remark) => remark.contains(document.activeElement));
  const next = place < 0 ? (by > 0 ? 0 : remarks.length - 1) : Math.min(Math.max(place + by, 0), remarks.length - 1);
  remarks[next].focus();
  return true;
}

if (document.getElementById("remarks")) {
  onKey("next-part", () => stepRemark(1));
  onKey("previous-part", () => stepRemark(-1));
  onKey("reply", () => {
    const box = document.activeElement?.closest("[data-remark]")?.querySelector(".reply-box");
    if (!box) return false;
    box.open = true;
    box.querySelector("textarea").focus();
    return true;
  });
}
