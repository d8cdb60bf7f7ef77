// What the elements share: fragments, announcements, focus.

/** Fetch an HTML fragment; throws when the answer is anything else (logged out, forbidden, broken). */
export async function fragment(url) {
  const response = await fetch(url, { credentials: "same-origin", headers: { Accept: "text/html" } });
  if (!response.ok || response.redirected) throw new Error(`${response.status} for ${url}`);
  const holder = document.createElement("template");
  holder.innerHTML = await response.text();
  return holder.content;
}

/**
 * Return a function that runs `work` now; what is asked for while it runs is one more run after it.
 * Hints may come by the hundred: the page fetches once for all of them.
 */
export function coalesced(work) {
  let running = false;
  let again = false;
  return async function run() {
    if (running) { again = true; return; }
    running = true;
    try {
      do {
        again = false;
        try { await work(); } catch (error) { console.info(error.message); }
      } while (again);
    } finally { running = false; }
  };
}

/** Say `text` to screen readers. */
export function announce(text, how = "polite") {
  const region = document.querySelector(`[data-announce="${how}"]`);
  if (region) region.textContent = text;
}

/** Put the fragment's regions in place of the page's, where they differ; return the changed names. */
export function swapRegions(root, content) {
  const changed = [];
  for (const fresh of content.querySelectorAll("[data-region]")) {
    const name = fresh.dataset.region;
    const old = root.querySelector(`[data-region="${name}"]`);
    if (!old || old.innerHTML === fresh.innerHTML) continue;
    const held = old.contains(document.activeElement);
    old.innerHTML = fresh.innerHTML;
    if (held) { old.tabIndex = -1; old.focus({ preventScroll: true }); }
    changed.push(name);
  }
  return changed;
}

/** Focus what the server marked: an error summary, usually. */
export function focusMarked(root) {
  const marked = [...root.querySelectorAll("[data-focus]")].pop();
  if (marked) { marked.focus(); marked.scrollIntoView({ block: "center" }); }
}

export function cookie(name) {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}
