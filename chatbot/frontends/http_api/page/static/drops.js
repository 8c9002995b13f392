// Files that are dropped: on what is typed they go with the question, elsewhere on the page into the library.

import { byId } from "./dom.js";

const shade = byId("drop");
const words = byId("drop-words");
const composer = byId("composer");

/** `attach(files)` and `index(files)` take them. */
export function takeDrops(attach, index) {
  const brings = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", (event) => {
    if (!brings(event)) return;
    event.preventDefault();
    const attaching = composer.contains(event.target);
    words.textContent = attaching ? "Drop the files to ask about them" : "Drop the files to add them to the library, or on your question to ask about them";
    shade.hidden = false;
    composer.classList.toggle("dropping", attaching);
  });
  addEventListener("dragleave", (event) => event.relatedTarget || rest());
  addEventListener("drop", (event) => {
    if (!brings(event)) return;
    event.preventDefault();
    rest();
    (composer.contains(event.target) ? attach : index)([...event.dataTransfer.files]);
  });
}

function rest() {
  shade.hidden = true;
  composer.classList.remove("dropping");
}
