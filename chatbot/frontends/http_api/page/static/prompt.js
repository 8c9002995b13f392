// One question to the user in a dialog: a text, or only yes or no.

import { byId } from "./dom.js";

const dialog = byId("prompt");

/** What was typed, or true where no `text` was to be changed; false when it was cancelled. */
export function ask(title, words, text, most = 200) {
  byId("prompt-title").textContent = title;
  byId("prompt-do").textContent = words;
  const field = byId("prompt-text");
  field.hidden = text === undefined;
  field.maxLength = most;
  field.value = text ?? "";
  let answer = false;
  byId("prompt-form").onsubmit = (event) => {
    event.preventDefault();
    answer = text === undefined || field.value.trim();
    dialog.close();
  };
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(answer);
  });
}
