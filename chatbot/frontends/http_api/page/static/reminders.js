// Reminders: told above what is typed when they are due, and listed with what is remembered.

import { get, request } from "./api.js";
import { button, byId, make, oneLine } from "./dom.js";

const EVERY = 20_000;
const PATH = "/api/reminders";
const [told, list, state] = ["reminders-due", "reminders-list", "reminders-state"].map(byId);

/** Ask from now on what is due, and show it until it was read. */
export async function tellReminders() {
  try {
    const { due } = await (await request(`${PATH}/due`, { method: "POST" })).json();
    told.append(...due.map(notice));
  } catch (error) {
    // A server that is away for a moment is no news; it is asked again.
    if (error.status) console.warn(error.message);
  }
  setTimeout(tellReminders, EVERY);
}

function notice(text) {
  const read = button("Done", () => {
    entry.remove();
    byId("question").focus();
  }, { class: "quiet-button", "aria-label": `Done: ${oneLine(text, 60)}` });
  const entry = make("p", { class: "notice warning row" }, make("span", { class: "row-text", dir: "auto" }, text), read);
  return entry;
}

/** List those to come. */
export async function listReminders() {
  try {
    const { reminders } = await get(PATH);
    list.replaceChildren(...reminders.map(upcoming));
    state.textContent = reminders.length ? "" : "No reminders. Set one in a conversation: remind me at five to ring Ann.";
  } catch (error) {
    state.textContent = error.message;
  }
}

function upcoming({ number, text, due, active }) {
  const when = new Date(due).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const cancel = async () => {
    await request(`${PATH}/${number}`, { method: "DELETE" }).catch((error) => (state.textContent = error.message));
    await listReminders();
  };
  return make("li", { class: "row" },
    make("span", { class: "row-text", dir: "auto" }, text),
    make("time", { class: "where", datetime: due }, active ? when : `${when}, off`),
    button("Cancel", cancel, { class: "quiet-button", "aria-label": `Cancel: ${oneLine(text, 60)}` }));
}
