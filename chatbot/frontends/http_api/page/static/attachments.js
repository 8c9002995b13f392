// Files that go with the next question: chosen, dropped on what is typed or pasted into it, and taken away again.

import { Refused } from "./api.js";
import { button, byId, make, oneLine } from "./dom.js";

const MOST_FILES = 20;
const [list, input, question] = ["attached", "attach-input", "question"].map(byId);

export class Attachments {
  /** `tell(words)` says in a line what was done. */
  constructor(tell) {
    Object.assign(this, { files: [], tell });
    byId("attach").addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      this.add([...input.files]);
      input.value = "";
    });
    question.addEventListener("paste", (event) => {
      const pasted = [...event.clipboardData.files];
      // What a text editor copies has its words, too.
      if (!pasted.length || event.clipboardData.types.includes("text/plain")) return;
      event.preventDefault();
      this.add(pasted);
    });
    this.show();
  }

  add(files) {
    const room = MOST_FILES - this.files.length;
    this.files.push(...files.slice(0, room));
    this.show();
    question.focus();
    if (files.length > room) this.tell(`${MOST_FILES} files go with a question at most; add the others to the library.`);
    else if (files.length) this.tell(`Attached: ${files.map(nameOf).join(", ")}`);
  }

  /** The files, which go with a question now. */
  take() {
    const { files } = this;
    this.files = [];
    this.show();
    return files;
  }

  show() {
    list.hidden = !this.files.length;
    list.replaceChildren(...this.files.map((file) => make("li", { class: "chip" },
      make("bdi", { class: "chip-name" }, nameOf(file)),
      button("×", () => this.drop(file), { class: "quiet-button", "aria-label": `Do not attach ${nameOf(file)}` }))));
  }

  drop(file) {
    this.files = this.files.filter((each) => each !== file);
    this.show();
    question.focus();
  }
}

const nameOf = (file) => oneLine(file.name, 60) || "file";

/** Files as a question is sent them; raises `Refused` for one that cannot be read any more. */
export const encodeFiles = (files) => Promise.all(files.map(async (file) => ({ name: nameOf(file), ...(await contentOf(file)) })));

async function contentOf(file) {
  const reader = new FileReader();
  const address = await new Promise((resolve, reject) => {
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(new Refused(`${nameOf(file)} cannot be read.`, "Attach it again."));
    reader.readAsDataURL(file);
  });
  const content = address.slice(address.indexOf(",") + 1);
  return file.size ? { content } : { text: "" };
}
