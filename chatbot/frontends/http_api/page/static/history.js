// The kept conversations: listed, searched, opened.

import { get } from "./api.js";
import { button, byId, later, make, oneLine } from "./dom.js";

const PAGE = 50;
const search = byId("history-search");
const list = byId("history-list");

export class History {
  constructor(conversation, open) {
    Object.assign(this, { conversation, open, count: 0, asked: 0 });
    search.addEventListener("input", later(200, () => this.refresh()));
    byId("history-more").addEventListener("click", () => this.load(this.count));
  }

  refresh() {
    return this.load(0);
  }

  async load(offset) {
    const asked = (this.asked += 1);
    const words = search.value.trim();
    const { sessions } = await get(`/api/sessions?${new URLSearchParams({ search: words, limit: PAGE, offset })}`).catch((error) => {
      this.say(error.message);
      return { sessions: [] };
    });
    // Of several searches at once the last one counts.
    if (asked !== this.asked) return;
    if (!offset) list.replaceChildren();
    list.append(...sessions.map((session) => this.entry(session)));
    this.count = offset + sessions.length;
    byId("history-more").hidden = sessions.length < PAGE;
    if (this.count || !byId("history-empty").textContent) this.say(this.count ? "" : words ? "No conversation has these words." : "What you talk about is kept here.");
    const current = sessions.find((session) => session.id === this.conversation.session);
    if (current) this.conversation.entitle(current.title);
    this.mark();
  }

  say(words) {
    byId("history-empty").textContent = words;
    byId("history-empty").hidden = !words;
  }

  entry({ id, title, updated, snippet }) {
    const day = make("time", { datetime: updated, class: "where" }, shortDate(updated));
    const found = snippet ? make("span", { class: "snippet", dir: "auto" }, oneLine(snippet, 160)) : null;
    const open = button([make("span", { class: "entry-title", dir: "auto" }, oneLine(title) || "Untitled"), day, found].filter(Boolean), () => this.open(id), { class: "entry", "data-session": id });
    return make("li", {}, open);
  }

  /** Mark the conversation that is open. */
  mark() {
    for (const each of list.querySelectorAll("[data-session]")) {
      if (each.dataset.session === this.conversation.session) each.setAttribute("aria-current", "page");
      else each.removeAttribute("aria-current");
    }
  }
}

function shortDate(text) {
  const then = new Date(text);
  if (Number.isNaN(then.getTime())) return "";
  const today = then.toDateString() === new Date().toDateString();
  return today ? then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : then.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
}
