// The library: files are dropped into it, their reading is watched, and it is searched.

import { get, listen, request } from "./api.js";
import { button, byId, later, make, oneLine, safeAddress } from "./dom.js";
import { ask } from "./prompt.js";
import { openPassage } from "./sources.js";

const LISTED = 30;
// Of files that are sent together: what would be too much for one request goes in several.
const MOST_SENT = 50;
const MOST_BYTES = 8_000_000;
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
      this.ingest([{ names: oneLine(url, 80), path: "/api/library/ingest", options: { json: { url, stream: true } } }]);
    });
  }

  async addFiles(files) {
    if (!files.length) return;
    await this.ingest(batches(files).map((some) => {
      const body = new FormData();
      for (const file of some) body.append("files", file);
      body.append("stream", "true");
      return { names: some.map((file) => oneLine(file.name, 80)).join(", "), path: "/api/library/files", options: { method: "POST", body } };
    }));
  }

  /** Have things read into the library, a request after the other, and show how far it is and what it came to. */
  async ingest(works) {
    const words = make("p", { class: "hint" });
    const bar = make("progress", {});
    const box = make("div", { class: "ingest", "aria-busy": "true" }, words, bar);
    for (const ended of ingest.querySelectorAll(":scope > :not([aria-busy])")) ended.remove();
    ingest.append(box);
    const sum = { documents: 0, unchanged: 0, problems: [] };
    for (const { names, path, options } of works) {
      bar.setAttribute("aria-label", `Reading ${oneLine(names)}`);
      bar.removeAttribute("value");
      words.replaceChildren(make("bdi", {}, oneLine(names)));
      try {
        await listen(await request(path, options), (_, event) => showIngest(event, words, bar, sum));
      } catch (error) {
        sum.problems.push([oneLine(names), error.problem ?? "The connection was lost.", error.remedy]);
        // All others would come to the same.
        if (!error.status) break;
      }
    }
    bar.remove();
    box.removeAttribute("aria-busy");
    box.replaceChildren(...outcome(sum));
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

/** Files in groups that go in one request each. */
function batches(files) {
  const groups = [];
  let bytes = Infinity;
  for (const file of files) {
    bytes += file.size;
    if (bytes > MOST_BYTES || groups.at(-1).length === MOST_SENT) {
      groups.push([]);
      bytes = file.size;
    }
    groups.at(-1).push(file);
  }
  return groups;
}

function showIngest(event, words, bar, sum) {
  if (event.event === "progress") {
    words.replaceChildren(make("bdi", {}, oneLine(event.label, 80)));
    if (event.total) [bar.max, bar.value] = [event.total, event.done];
  } else if (event.event === "indexed") {
    sum.documents += event.documents;
    sum.unchanged += event.unchanged;
    for (const { name, reason } of event.failures) sum.problems.push([oneLine(name.split(/[/\\]/).pop(), 80), reason]);
    for (const warning of event.warnings) sum.problems.push(["", warning]);
  } else if (event.event === "error") sum.problems.push(["", event.problem, event.remedy]);
}

/** What it came to, in a sentence for each thing. */
function outcome({ documents, unchanged, problems }) {
  const told = `${documents} ${documents === 1 ? "document" : "documents"} added${unchanged ? `, ${unchanged} unchanged` : ""}.`;
  const done = documents || unchanged || !problems.length ? [make("p", { class: "hint" }, told)] : [];
  const wrong = problems.map(([name, ...said]) => make("p", { class: "notice warning", dir: "auto" }, [name && `${name}:`, ...said].filter(Boolean).join(" ")));
  return [...done, ...wrong];
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
