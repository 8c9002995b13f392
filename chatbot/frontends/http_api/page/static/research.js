// Research: a plan that is changed and agreed to, how far it is looked up, and its report as a conversation.

import { get, request } from "./api.js";
import { button, byId, make, oneLine } from "./dom.js";
import { ask } from "./prompt.js";

const EVERY = 2000;
const PATH = "/api/research";
const MOST_WORDS = 600;
const OUTCOMES = { open: "", answered: "✓", unanswered: "not found" };
const [form, field, state, plan, adding, more, actions] = ["research-form", "research-text", "research-state", "research-plan", "research-add", "research-more", "research-do"].map(byId);

export class Research {
  /** `open(session)` opens a report; `changed()` is called when there is a new one. */
  constructor(open, changed) {
    Object.assign(this, { open, changed, timer: 0, asked: 0, running: false });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      state.textContent = "Planning…";
      this.change(() => request(PATH, { json: { question: field.value } }));
    });
    adding.addEventListener("submit", (event) => {
      event.preventDefault();
      this.change(async () => {
        await request(PATH, { method: "PATCH", json: { change: `add ${more.value}` } });
        more.value = "";
      });
    });
  }

  refresh() {
    return this.change(() => {});
  }

  /** Do something, and show how far it is then; again and again while it is looked up. */
  async change(work) {
    clearTimeout(this.timer);
    let failed = "";
    try {
      await work();
    } catch (error) {
      failed = error.message;
    }
    const asked = ++this.asked;
    try {
      const now = await get(PATH);
      // What was asked for before something else was done may come after that, and says how it was.
      if (asked === this.asked) this.show(now, failed);
      else if (failed) state.textContent = failed;
    } catch (error) {
      state.textContent = error.message;
    }
  }

  show({ draft, under_way: going, finished, failure, unfinished }, failed) {
    if (this.running && !going) this.changed(finished);
    this.running = Boolean(going);
    form.hidden = Boolean(going);
    adding.hidden = !draft;
    const shown = going ?? draft;
    plan.replaceChildren(...(shown?.plan ?? []).map((one, index) => this.entry(one, index + 1, draft && !going)));
    state.textContent = failed || (shown ? `${going ? told(going) : "The plan"}: ${oneLine(shown.question, 120)}` : failure);
    const does = [];
    if (going) does.push(button("Stop, and report what there is", () => this.change(() => request(PATH, { method: "DELETE" }))));
    else if (draft) does.push(button("Look it up", () => this.change(() => request(`${PATH}/begin`, { method: "POST" })), { class: "primary" }));
    else if (finished) does.push(button(`Report: ${oneLine(finished.question, 60)}`, () => this.open(finished.id)));
    if (!shown && unfinished.length) {
      does.push(...unfinished.map(({ id, question }) => button(`Go on with: ${oneLine(question, 60)}`, () => this.change(() => request(`${PATH}/resume`, { json: { id } })))));
      does.push(button("Delete what was cut off", () => this.forget(unfinished.length)));
    }
    actions.replaceChildren(...does);
    if (going) this.timer = setTimeout(() => this.refresh(), EVERY);
  }

  entry({ text, outcome }, number, changeable) {
    const change = (line) => this.change(() => request(PATH, { method: "PATCH", json: { change: line } }));
    const reword = async () => {
      const words = await ask(`Question ${number} of the plan`, "Change", text, MOST_WORDS);
      if (words && words !== text) await change(`${number} ${words}`);
    };
    const does = changeable ? [
      button("Change", reword, { class: "quiet-button", "aria-label": `Change: ${oneLine(text, 60)}` }),
      button("×", () => change(`drop ${number}`), { class: "quiet-button", "aria-label": `Drop: ${oneLine(text, 60)}` }),
    ] : [];
    return make("li", { class: "row" }, make("span", { dir: "auto", class: "row-text" }, text), make("span", { class: "where" }, OUTCOMES[outcome]), ...does);
  }

  /** Delete the runs that were cut off, once the user has said so. */
  async forget(count) {
    const what = count === 1 ? "the research that was cut off" : `${count} runs that were cut off`;
    if (await ask(`Delete ${what} for good?`, "Delete")) await this.change(() => request(`${PATH}/unfinished`, { method: "DELETE" }));
  }
}

function told({ plan: questions, searches }) {
  const done = questions.filter((one) => one.outcome !== "open").length;
  return `${done} of ${questions.length} looked up, ${searches} ${searches === 1 ? "search" : "searches"}`;
}
