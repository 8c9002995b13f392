// The side panel: its tabs, and on a narrow screen a drawer that takes the keyboard while it is open.

import { byId } from "./dom.js";

const [side, page, veil, opener] = ["side", "page", "veil", "open-side"].map(byId);
const narrow = matchMedia("(max-width: 50rem)");
const tabs = [...side.querySelectorAll("[role=tab]")];

/** `shown` is what to do when a tab is chosen, by its id. */
export function setUpSide(shown) {
  opener.addEventListener("click", openSide);
  byId("close-side").addEventListener("click", closeSide);
  veil.addEventListener("click", closeSide);
  narrow.addEventListener("change", () => setOpen(false));
  setOpen(false);
  for (const tab of tabs) {
    tab.addEventListener("click", () => chooseTab(tab, shown));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
      chooseTab(next, shown);
      next.focus();
    });
  }
}

function chooseTab(chosen, shown) {
  for (const tab of tabs) {
    tab.setAttribute("aria-selected", String(tab === chosen));
    tab.tabIndex = tab === chosen ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
  }
  shown[chosen.id]?.();
}

function openSide() {
  setOpen(true);
  byId("close-side").focus();
}

/** Close the drawer; whether it was open. */
export function closeSide() {
  const open = narrow.matches && side.classList.contains("open");
  setOpen(false);
  if (open) opener.focus();
  return open;
}

function setOpen(open) {
  side.classList.toggle("open", open);
  side.inert = narrow.matches && !open;
  page.inert = narrow.matches && open;
  veil.hidden = !open;
  opener.setAttribute("aria-expanded", String(open));
}
