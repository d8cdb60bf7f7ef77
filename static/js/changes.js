// The changes of a plan: from one to the next, and from view to view.
import { onKey } from "./keys.js";

/** Go to the change `by` places behind the one that has the focus, or that is at the top of the window. */
function stepChange(by) {
  const changes = [...document.querySelectorAll("[data-change]")];
  const from = changes.findIndex((change) => change.contains(document.activeElement));
  const below = changes.findIndex((change) => change.getBoundingClientRect().bottom > 80);
  const start = from >= 0 ? from + by : by > 0 ? below : (below < 0 ? changes.length : below) - 1;
  const change = changes[Math.min(Math.max(start < 0 && by > 0 ? changes.length - 1 : start, 0), changes.length - 1)];
  (change.querySelector(":scope > summary") ?? change).focus({ preventScroll: true });
  change.scrollIntoView({ block: "center" });
  return true;
}

function nextView() {
  const views = [...document.querySelectorAll("[data-views] a")];
  views[(views.findIndex((view) => view.hasAttribute("aria-current")) + 1) % views.length].click();
  return true;
}

if (document.querySelector("[data-change]")) {
  onKey("next-change", () => stepChange(1));
  onKey("previous-change", () => stepChange(-1));
}
if (document.querySelector("[data-views]")) onKey("view", nextView);

// A link to where a moved block stood opens what is folded around it.
function unfold() {
  const target = document.getElementById(location.hash.slice(1)); // none without a hash
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}
addEventListener("hashchange", unfold);
unfold();
