// The library: files are dropped into it, their reading is watched, and it is searched.

import { get, listen, request } from "./api.js";
import { button, byId, later, make, oneLine, safeAddress } from "./dom.js";
import { ask } from "./prompt.js";
import { openPassage } from "./sources.js";

const LISTED = 30;
const [search, list, state, ingest, input, address] = ["library-search", "library-list", "library-state", "ingest", "file-input", "address"].map(byId);

export class Library {
  constructor() {
    this.asked = 0;
    search.addEventListener("input", later(300, () => this.refresh()));
    byId("choose-files").addEventListener("click", () => input.click());
    input.addEventListener("change", async () => {
      await this.addFiles([...input.files]);
      input.value = "";
    });
    byId("address-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const url = address.value.trim();
      address.value = "";
      this.ingest(oneLine(url, 80), "/api/library/ingest", { json: { url, stream: true } });
    });
  }

  async addFiles(files) {
    if (!files.length) return;
    const form = new FormData();
    for (const file of files) form.append("files", file);
    form.append("stream", "true");
    await this.ingest(files.map((file) => oneLine(file.name, 80)).join(", "), "/api/library/files", { method: "POST", body: form });
  }

  /** Have something read into the library, and show how far it is. */
  async ingest(names, path, options) {
    const bar = make("progress", { "aria-label": `Reading ${names}` });
    const words = make("p", { class: "hint" }, make("bdi", {}, names));
    ingest.replaceChildren(make("div", { class: "ingest" }, words, bar));
    try {
      await listen(await request(path, options), (_, event) => this.showIngest(event, words, bar));
    } catch (error) {
      this.showIngest({ event: "error", problem: error.problem ?? "The connection was lost.", remedy: error.remedy ?? "" }, words, bar);
    }
    bar.remove();
    await this.refresh();
  }

  /** Take a document out, once the user has said so. */
  async remove({ source, title, collection }) {
    const name = oneLine(title || source, 80);
    if (!(await ask(`Take “${name}” out of the library for good?`, "Take out"))) return;
    const wanted = new URLSearchParams({ source, collection });
    try {
      await request(`/api/library/document?${wanted}`, { method: "DELETE" });
      await this.refresh();
      ingest.replaceChildren(make("p", { class: "hint" }, "Taken out: ", make("bdi", {}, name)));
    } catch (error) {
      ingest.replaceChildren(make("p", { class: "notice error" }, error.message));
    }
    search.focus();
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
      const [told, entries] = words ? await found(words) : await this.listed();
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

  async listed() {
    const { documents, total } = await get(`/api/library/documents?${new URLSearchParams({ limit: LISTED })}`);
    const told = !total ? "Nothing is in the library yet." : `${total.toLocaleString("en")} ${total === 1 ? "document" : "documents"}${total > LISTED ? `, the newest ${LISTED}` : ""}`;
    const drop = (document) => button("×", () => this.remove(document), { class: "quiet-button", "aria-label": `Take out: ${oneLine(document.title || document.source, 80)}` });
    return [told, documents.map((document) => entry({ ...document, text: "" }, "", drop(document)))];
  }
}

async function found(words) {
  const { passages } = await get(`/api/library/search?${new URLSearchParams({ query: words, limit: 10 })}`);
  return [passages.length ? "" : "Nothing of that is in the library.", passages.map((passage) => entry(passage, passage.text))];
}

function entry(passage, text, drop = null) {
  const place = safeAddress(passage.source) ? new URL(passage.source).host : oneLine(passage.source.split(/[/\\]/).pop(), 60);
  const snippet = text ? make("span", { class: "snippet", dir: "auto" }, oneLine(text, 240)) : null;
  const title = oneLine(passage.title || passage.source);
  const words = [make("span", { class: "entry-title", dir: "auto" }, title), title.startsWith(place.replace(/…$/, "")) ? null : make("bdi", { class: "where" }, place), snippet];
  return make("li", { class: "entry-row" }, button(words.filter(Boolean), () => openPassage(passage), { class: "entry" }), drop);
}
