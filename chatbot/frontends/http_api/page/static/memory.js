// What is remembered of the user: added, agreed to, forgotten.

import { get, request } from "./api.js";
import { button, byId, make, oneLine } from "./dom.js";

const list = byId("memory-list");
const field = byId("memory-text");

export class Memory {
  constructor() {
    byId("memory-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.change(async () => {
        await request("/api/memory", { json: { text: field.value } });
        field.value = "";
      });
    });
  }

  refresh() {
    return this.change(() => {});
  }

  /** Do something, and show what is remembered then. */
  async change(work) {
    try {
      await work();
      const { facts } = await get("/api/memory");
      list.replaceChildren(...facts.map((fact) => this.entry(fact)));
      byId("memory-state").textContent = facts.length ? "" : "Nothing is remembered of you yet.";
    } catch (error) {
      byId("memory-state").textContent = error.message;
    }
  }

  entry({ number, text, kept }) {
    const words = oneLine(text, 60);
    const drop = button(kept ? "Forget" : "No", () => this.change(() => request(`/api/memory/${number}`, { method: "DELETE" })), { class: "quiet-button", "aria-label": `Forget: ${words}` });
    const keep = kept ? null : button("Remember", () => this.change(() => request(`/api/memory/${number}`, { method: "PATCH", json: {} })), { class: "quiet-button", "aria-label": `Remember: ${words}` });
    const proposed = kept ? null : make("span", { class: "where" }, "proposed");
    return make("li", { class: "row" }, make("span", { dir: "auto", class: "row-text" }, text), proposed, keep, drop);
  }
}
