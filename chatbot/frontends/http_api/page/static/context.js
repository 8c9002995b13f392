// How full the model's window is, as a bar with a text.

import { byId, make } from "./dom.js";

const NAMES = { system: "instructions", tools: "tools", summary: "summary", history: "history", evidence: "passages", question: "question" };

/** Show an event `context_used`; nothing where there is none. */
export function showContext(used) {
  byId("context").hidden = !used;
  if (!used) return;
  const total = Object.values(used.parts).reduce((sum, tokens) => sum + tokens, 0);
  const bar = byId("context-bar");
  bar.replaceChildren(...Object.entries(used.parts).filter(([, tokens]) => tokens).map(([name, tokens]) => {
    const part = make("span", { class: `part-${name}` });
    part.style.width = `${Math.min(100, (100 * tokens) / used.window)}%`;
    return part;
  }));
  const parts = Object.entries(used.parts).filter(([, tokens]) => tokens).map(([name, tokens]) => `${NAMES[name] ?? name} ${tokens.toLocaleString("en")}`);
  const words = `${total.toLocaleString("en")} of ${used.window.toLocaleString("en")} tokens`;
  bar.setAttribute("aria-label", `Context: ${words}. ${parts.join(", ")}`);
  bar.title = `${words}\n${parts.join("\n")}`;
  byId("context-text").textContent = `${Math.ceil((100 * total) / used.window)} % of the context`;
}
