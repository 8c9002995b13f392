// The library: files are dropped into it, their reading is watched, and it is searched.

import { get, listen, request } from "./api.js";
import { button, byId, later, make, oneLine, safeAddress } from "./dom.js";
import { openPassage } from "./sources.js";

const LISTED = 30;
const [search, list, state, ingest, input] = ["library-search", "library-list", "library-state", "ingest", "file-input"].map(byId);

export class Library {
  constructor() {
    this.asked = 0;
    search.addEventListener("input", later(300, () => this.refresh()));
    byId("choose-files").addEventListener("click", () => input.click());
    input.addEventListener("change", async () => {
      await this.addFiles([...input.files]);
      input.value = "";
    });
  }

  /** Take files that are dropped anywhere on the page. */
  takeDrops() {
    const shade = byId("drop");
    const brings = (event) => event.dataTransfer?.types.includes("Files");
    addEventListener("dragover", (event) => {
      if (!brings(event)) return;
      event.preventDefault();
      shade.hidden = false;
    });
    addEventListener("dragleave", (event) => event.relatedTarget || (shade.hidden = true));
    addEventListener("drop", (event) => {
      if (!brings(event)) return;
      event.preventDefault();
      shade.hidden = true;
      byId("tab-library").click();
      this.addFiles([...event.dataTransfer.files]);
    });
  }

  async addFiles(files) {
    if (!files.length) return;
    const names = files.map((file) => oneLine(file.name, 80)).join(", ");
    const bar = make("progress", { "aria-label": `Reading ${names}` });
    const words = make("p", { class: "hint" }, make("bdi", {}, names));
    ingest.replaceChildren(make("div", { class: "ingest" }, words, bar));
    const form = new FormData();
    for (const file of files) form.append("files", file);
    form.append("stream", "true");
    try {
      const response = await request("/api/library/files", { method: "POST", body: form });
      await listen(response, (_, event) => this.showIngest(event, words, bar));
    } catch (error) {
      this.showIngest({ event: "error", problem: error.problem ?? "The connection was lost.", remedy: error.remedy ?? "" }, words, bar);
    }
    bar.remove();
    await this.refresh();
  }

  showIngest(event, words, bar) {
    if (event.event === "progress") {
      words.replaceChildren(make("bdi", {}, oneLine(event.label, 80)));
      if (event.total) [bar.max, bar.value] = [event.total, event.done];
    } else if (event.event === "indexed") {
      const told = `${event.documents} ${event.documents === 1 ? "document" : "documents"} added${event.unchanged ? `, ${event.unchanged} unchanged` : ""}.`;
      words.replaceChildren(told);
      const problems = [...event.failures.map(({ name, reason }) => `${oneLine(name.split(/[/\\]/).pop(), 80)}: ${reason}`), ...event.warnings];
      words.after(...problems.map((problem) => make("p", { class: "notice warning", dir: "auto" }, problem)));
    } else if (event.event === "error") {
      words.replaceWith(make("p", { class: "notice error" }, [event.problem, event.remedy].filter(Boolean).join(" ")));
    }
  }

  /** Show what the library holds, or what is found in it. */
  async refresh() {
    const asked = (this.asked += 1);
    const words = search.value.trim();
    try {
      const [told, entries] = words ? await found(words) : await listed();
      // Of several searches at once the last one counts.
      if (asked !== this.asked) return;
      state.textContent = told;
      list.replaceChildren(...entries);
    } catch (error) {
      if (asked !== this.asked) return;
      state.textContent = error.message;
      list.replaceChildren();
    }
  }
}

async function found(words) {
  const { passages } = await get(`/api/library/search?${new URLSearchParams({ query: words, limit: 10 })}`);
  return [passages.length ? "" : "Nothing of that is in the library.", passages.map((passage) => entry(passage, passage.text))];
}

async function listed() {
  const { documents, total } = await get(`/api/library/documents?${new URLSearchParams({ limit: LISTED })}`);
  const told = !total ? "Nothing is in the library yet." : `${total.toLocaleString("en")} ${total === 1 ? "document" : "documents"}${total > LISTED ? `, the newest ${LISTED}` : ""}`;
  return [told, documents.map((document) => entry({ ...document, text: "" }, ""))];
}

function entry(passage, text) {
  const place = safeAddress(passage.source) ? new URL(passage.source).host : oneLine(passage.source.split(/[/\\]/).pop(), 60);
  const snippet = text ? make("span", { class: "snippet", dir: "auto" }, oneLine(text, 240)) : null;
  const title = oneLine(passage.title || passage.source);
  const words = [make("span", { class: "entry-title", dir: "auto" }, title), title === place ? null : make("bdi", { class: "where" }, place), snippet];
  return make("li", {}, button(words.filter(Boolean), () => openPassage(passage), { class: "entry" }));
}
