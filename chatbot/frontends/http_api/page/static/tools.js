// Which tools the model may call: single ones are switched off for the questions that follow.

import { get } from "./api.js";
import { byId, closable, make, oneLine } from "./dom.js";

const [opener, dialog, list, state] = ["tools-open", "tools", "tools-list", "tools-state"].map(byId);
let off = new Set();

closable(dialog);
opener.addEventListener("click", async () => {
  dialog.showModal();
  try {
    const { tools } = await get("/api/tools");
    chooseTools([...off].filter((name) => tools.some((tool) => tool.name === name)));
    list.replaceChildren(...tools.map(entry));
    state.textContent = tools.length ? "What you untick is not used from your next question on." : "There are no tools.";
  } catch (error) {
    list.replaceChildren();
    state.textContent = error.message;
  }
});

function entry({ name, description }, index) {
  const box = make("input", { type: "checkbox", id: `tool-${index}`, checked: !off.has(name), "aria-describedby": `tool-does-${index}` });
  box.addEventListener("change", () => chooseTools(box.checked ? [...off].filter((one) => one !== name) : [...off, name]));
  const label = make("label", { class: "check", for: box.id }, box, make("span", { class: "tool-name" }, oneLine(name, 60)));
  return make("li", {}, label, make("p", { class: "hint", id: `tool-does-${index}`, dir: "auto" }, oneLine(description, 160)));
}

/** Have these tools off, by their names. */
export function chooseTools(names) {
  off = new Set(names);
  opener.textContent = off.size ? `Tools: ${off.size} off` : "Tools";
}

/** The names of those that are off. */
export const toolsOff = () => [...off];
