// Elements are made here and nowhere else: no text of a model, a page or a file is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";
// Characters that are not seen, and those that turn the direction of what stands around them.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** The element of the page with this id. */
export const byId = (id) => document.getElementById(id);

/** An element with attributes (`onclick` and the like: listeners) and children, which are elements or plain texts. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  // One by one: there may be more of them than a call takes arguments.
  for (const child of children.flat()) if (child !== null && child !== undefined) element.append(child);
  return element;
}

/** One of the page's own pictures. */
export function icon(name) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("aria-hidden", "true");
  picture.setAttribute("class", `icon-${name}`);
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#icon-${name}`);
  picture.append(use);
  return picture;
}

/** A button with words. */
export function button(words, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, words);
}

/** A button that copies what `text()` gives. */
export function copyButton(text) {
  const copy = button("Copy", async () => {
    copy.textContent = (await copied(text())) ? "Copied" : "Not copied";
  }, { class: "quiet-button" });
  return copy;
}

/** Put a text onto the clipboard; whether that worked. */
async function copied(text) {
  // Browsers have it for pages of this machine and over TLS alone.
  if (navigator.clipboard) return navigator.clipboard.writeText(text).then(() => true, () => false);
  const before = document.activeElement;
  const field = make("textarea", { class: "visually-hidden", "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  const worked = document.execCommand("copy");
  field.remove();
  before?.focus();
  return worked;
}

/** A title or a name as one line that cannot pass for something else. */
export const oneLine = (text, most = 200) => {
  const line = String(text).replace(UNSEEN, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
};

/** The address if it is one that may be opened from here, else nothing. */
export function safeAddress(text) {
  try {
    const url = new URL(text);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : "";
  } catch {
    return "";
  }
}

/** A link that tells nobody where it was clicked; plain text where the address is none to be opened. */
export function link(address, ...children) {
  const href = safeAddress(address);
  if (!href) return make("span", {}, children.flat());
  return make("a", { href, title: oneLine(href, 500), target: "_blank", rel: "noopener noreferrer", referrerpolicy: "no-referrer" }, children.flat());
}

/** Have a dialog closed by its own buttons and by a click beside it. */
export function closable(dialog) {
  for (const each of dialog.querySelectorAll("[data-close]")) each.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

/** Call a function once after a while in which it was not asked for again. */
export function later(milliseconds, work) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds);
  };
}
