// Sources: the numbers in an answer, the passage beside them, and the text around it.

import { get } from "./api.js";
import { button, byId, closable, link, make, oneLine, safeAddress } from "./dom.js";

const AROUND = 2000;
const LINGER = 180;
const card = byId("passage");
const dialog = byId("document");
let hiding = 0;

/** The sources of a conversation by their number. */
export class Sources {
  constructor() {
    this.known = new Map();
  }

  add(sources = []) {
    for (const source of sources) this.known.set(source.number, source.passage);
  }

  get count() {
    return this.known.size;
  }

  /** The footnote of a number, nothing where no source has it. */
  note(number) {
    const passage = this.known.get(number);
    if (!passage) return null;
    const note = button(String(number), () => openPassage(passage), {
      class: "note", "aria-label": `Source ${number}: ${oneLine(passage.title || passage.source)}`
    });
    attachCard(note, number, passage);
    return make("sup", {}, note);
  }

  /** The list below an answer. */
  list(cited, unused) {
    if (!cited.length && !unused.length) return null;
    const section = make("section", { class: "sources", "aria-label": "Sources" });
    if (cited.length) section.append(make("ol", { class: "plain-list" }, cited.map(sourceItem)));
    if (unused.length) {
      const words = `${unused.length} more ${unused.length === 1 ? "passage was" : "passages were"} read`;
      section.append(make("details", {}, make("summary", {}, words), make("ol", { class: "plain-list" }, unused.map(sourceItem))));
    }
    return section;
  }
}

function sourceItem({ number, passage }) {
  const title = button(oneLine(passage.title || passage.source), () => openPassage(passage), { class: "source-title", dir: "auto" });
  attachCard(title, number, passage);
  const where = whereOf(passage);
  return make("li", {}, make("span", { class: "number", "aria-hidden": "true" }, String(number)), title, " ", where === passage.title ? null : make("bdi", { class: "where" }, where));
}

/** Where a passage is from, short: a site's name, or a file's. */
function whereOf({ source, origin, fetched }) {
  if (source.startsWith("zim://")) return oneLine(`archive ${source.split("/")[2]}${fetched && `, ${fetched.slice(0, 7)}`}`, 120);
  if (!safeAddress(source)) return oneLine(source.split(/[/\\]/).pop(), 60);
  const host = new URL(source).host;
  return origin === "snippet" ? `${host}, not opened` : host;
}

/** Show the passage while the pointer or the keyboard is on an element, or the pointer on the passage itself. */
function attachCard(element, number, passage) {
  const show = () => {
    clearTimeout(hiding);
    const heading = [passage.title, ...passage.heading].filter(Boolean).map((each) => oneLine(each, 80)).join(" › ");
    card.replaceChildren(
      make("p", { class: "card-title", dir: "auto" }, `${number}. ${heading || oneLine(passage.source)}`),
      make("p", { class: "card-text", dir: "auto" }, passage.text.length > 700 ? `${passage.text.slice(0, 700)}…` : passage.text),
      make("p", { class: "hint" }, make("bdi", {}, whereOf(passage)), passage.fetched ? `, ${passage.fetched.slice(0, 10)}` : ""),
    );
    card.hidden = false;
    element.setAttribute("aria-describedby", "passage");
    placeCard(element.getBoundingClientRect());
  };
  element.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && show());
  element.addEventListener("focus", () => element.matches(":focus-visible") && show());
  element.addEventListener("pointerleave", hideSoon);
  element.addEventListener("blur", hideCard);
}

/** Above what it belongs to where it fits, else where there is more room: it never covers that. */
function placeCard(near) {
  const above = near.top - 16;
  const below = innerHeight - near.bottom - 16;
  card.style.maxHeight = `${Math.min(innerHeight * 0.6, Math.max(above, below))}px`;
  const { offsetWidth: width, offsetHeight: height } = card;
  const left = Math.min(Math.max(8, near.left + near.width / 2 - width / 2), innerWidth - width - 8);
  card.style.left = `${Math.max(8, left)}px`;
  card.style.top = `${height <= above || above >= below ? near.top - height - 8 : near.bottom + 8}px`;
}

function hideSoon() {
  clearTimeout(hiding);
  hiding = setTimeout(hideCard, LINGER);
}

/** Take the passage away; whether there was one. */
export function hideCard() {
  clearTimeout(hiding);
  const shown = !card.hidden;
  card.hidden = true;
  return shown;
}

card.addEventListener("pointerenter", () => clearTimeout(hiding));
card.addEventListener("pointerleave", hideSoon);
closable(dialog);

/** Open a passage in the text that it stands in. */
export async function openPassage(passage) {
  hideCard();
  byId("document-title").textContent = oneLine(passage.title || passage.source);
  byId("document-where").replaceChildren(link(passage.source, make("bdi", {}, oneLine(passage.source, 500))));
  showText("", passage.text, "");
  if (!dialog.open) dialog.showModal();
  const wanted = new URLSearchParams({ source: passage.source });
  if (passage.collection) wanted.set("collection", passage.collection);
  if (passage.end > passage.start) for (const [name, value] of [["start", passage.start], ["end", passage.end], ["around", AROUND]]) wanted.set(name, value);
  try {
    const { text } = await get(`/api/library/document?${wanted}`);
    const at = passage.text ? text.indexOf(passage.text) : 0;
    if (at < 0) return;
    const end = at + passage.text.length;
    showText(text.slice(Math.max(0, at - AROUND), at), passage.text, text.slice(end, end + (passage.text ? AROUND : 50 * AROUND)));
  } catch (error) {
    const why = error.status === 404 ? "Only the passage is shown: its document is not in the library." : error.message;
    byId("document-where").append(make("span", {}, ` ${why}`));
  }
}

function showText(before, passage, after) {
  const marked = make("mark", {}, passage);
  byId("document-text").replaceChildren(before, passage ? marked : "", after);
  if (passage) marked.scrollIntoView({ block: "center" });
}
