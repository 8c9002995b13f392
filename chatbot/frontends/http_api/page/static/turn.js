// One question and its answer on the page: events become elements, the same ones live and from the history.

import { request } from "./api.js";
import { button, copyButton, icon, make, oneLine } from "./dom.js";
import { clearMarkdown, showMarkdown } from "./markdown.js";

const TOOL_STATES = { running: "running", done: "done", failed: "failed" };
const MOST_RESULT = 20_000;

export class Turn {
  /** `names` are those of what goes with the question; `tell(words)` says in a line what goes on; `actions` are what can be done with the turn, by name. */
  constructor({ question, files, names, sources, tell, actions }) {
    Object.assign(this, { question, files, names, sources, tell, actions, tools: new Map(), consents: new Map(), answer: "", text: null, thinking: null, drawing: 0, outcome: "" });
    this.flow = make("div", { class: "flow" });
    this.element = make("article", { class: "turn", "aria-label": "Question and answer", "aria-busy": "true" }, this.questionElement(), this.flow);
  }

  questionElement() {
    const text = make("div", { class: "asked-text", dir: "auto" }, this.question);
    this.questionTools = make("div", { class: "turn-tools" });
    const attached = this.names.map((name) => make("li", { class: "chip" }, make("bdi", { class: "chip-name" }, oneLine(name, 60))));
    const list = attached.length ? make("ul", { class: "chips plain-list", "aria-label": "Attached" }, attached) : null;
    return make("div", { class: "asked" }, make("h2", { class: "visually-hidden" }, "You asked"), text, list, this.questionTools);
  }

  /** Show an event; whether it was the last one. */
  show(event) {
    const shown = this[SHOWN_BY[event.event]];
    if (shown) shown.call(this, event);
    return event.event === "answered" || event.event === "error";
  }

  showThinking({ text }) {
    if (!this.thinking) {
      this.thinking = make("div", { class: "thought", dir: "auto" });
      this.flow.append(make("details", { class: "thinking" }, make("summary", {}, "Thinking"), this.thinking));
      this.tell("Thinking…");
    }
    this.thinking.append(text);
  }

  showDelta({ text }) {
    this.quote?.remove();
    this.thinking = null;
    if (!this.text) {
      this.text = this.add(make("div", { class: "answer" }));
      this.answer = "";
      this.tell("Answering…");
    }
    this.answer += text;
    // As often as the screen is drawn, however fast the text comes.
    this.drawing ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.drawing);
    this.drawing = 0;
    if (this.text) showMarkdown(this.text, this.answer, (number) => this.sources.note(number));
  }

  showQuoted({ source, text }) {
    this.quote?.remove();
    this.quote = this.add(make("blockquote", { class: "quoted", dir: "auto" }, text, " ", make("cite", {}, oneLine(source.passage.title))));
  }

  withdraw() {
    this.draw();
    this.text?.classList.add("withdrawn");
    this.text = null;
  }

  showTool({ call }) {
    this.endText();
    const words = oneLine(Object.values(call.arguments).map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(", "), 160);
    const state = make("span", { class: "tool-state" });
    const summary = make("summary", {}, icon(TOOL_STATES.running), make("span", { class: "tool-name" }, oneLine(call.shown || call.name, 60)), " ", make("bdi", { class: "tool-words", dir: "auto" }, words), " ", state);
    const details = this.add(make("details", { class: "tool running" }, summary));
    const tool = { details, summary, state };
    this.tools.set(call.id, tool);
    this.tell(`${oneLine(call.shown || call.name, 60)}: ${words}`);
    return tool;
  }

  showToolProgress({ call, text }) {
    const tool = this.tools.get(call.id);
    if (tool) tool.state.textContent = oneLine(text, 120);
    this.tell(oneLine(text, 120));
  }

  showToolEnd({ call, ok, text, seconds, sources }) {
    this.sources.add(sources);
    const tool = this.tools.get(call.id) ?? this.showTool({ call });
    tool.details.className = `tool ${ok ? "done" : "failed"}`;
    tool.summary.firstChild.replaceWith(icon(ok ? TOOL_STATES.done : TOOL_STATES.failed));
    const found = sources.length ? `${sources.length} ${sources.length === 1 ? "passage" : "passages"}, ` : "";
    tool.state.textContent = `${ok ? "" : "failed, "}${found}${seconds.toFixed(1)} s`;
    const shown = text.length > MOST_RESULT ? `${text.slice(0, MOST_RESULT)}…` : text;
    tool.details.append(make("pre", { dir: "auto", tabindex: "0", role: "group", "aria-label": "What the model was told" }, shown));
  }

  showNotice({ text, level }) {
    this.add(make("p", { class: `notice ${level}`, role: level === "info" ? null : "alert", dir: "auto" }, text));
  }

  showProgress({ label, done, total }) {
    this.tell(total ? `${oneLine(label, 80)}: ${Math.floor((100 * done) / total)} %` : oneLine(label, 80));
  }

  askConsent(asked) {
    const decide = (decision, forSession) => this.decide(asked.id, decision, forSession);
    const box = make("section", { class: "consent", role: "group", "aria-label": "Your consent is needed" },
      make("p", { class: "consent-question", role: "alert" }, asked.question),
      make("pre", { dir: "ltr", tabindex: "0", role: "group", "aria-label": "What would leave" }, asked.sent),
      make("div", { class: "actions" },
        button("Allow once", () => decide("allow", false), { class: "primary" }),
        button("Allow in this conversation", () => decide("allow", true)),
        button("Do not allow", () => decide("deny", false))));
    this.consents.set(asked.id, this.add(box));
    this.tell("Waiting for your consent.");
    box.scrollIntoView({ block: "nearest" });
  }

  async decide(id, decision, forSession) {
    const box = this.consents.get(id);
    for (const each of box.querySelectorAll("button")) each.disabled = true;
    try {
      await request(`/api/consent/${encodeURIComponent(id)}`, { json: { decision, for_session: forSession } });
    } catch (error) {
      // Of what was decided elsewhere, or too late, an event tells.
      if (error.status === 404) return;
      for (const each of box.querySelectorAll("button")) each.disabled = false;
      this.showNotice({ text: error.message, level: "error" });
    }
  }

  endConsent({ id, allowed }) {
    const box = this.consents.get(id);
    if (!box) return;
    const sent = box.querySelector("pre").textContent;
    box.replaceWith(make("p", { class: "notice info" }, `${allowed ? "Allowed" : "Not allowed"}: `, make("bdi", { dir: "ltr" }, oneLine(sent, 160))));
    this.consents.delete(id);
  }

  showAnswered(event) {
    const known = this.sources.count;
    this.sources.add(event.cited);
    this.sources.add(event.unused);
    this.quote?.remove();
    this.text ??= this.add(make("div", { class: "answer" }));
    // What was attached is known only now: a number of it that stands there already is none yet.
    if (this.sources.count > known) clearMarkdown(this.text);
    this.answer = event.text;
    this.outcome = "answered";
    this.draw();
    const notes = [...event.wrong_numbers, ...event.denied, event.unformed, event.truncated ? "The answer was cut off at its greatest length." : ""];
    for (const text of notes.filter(Boolean)) this.showNotice({ text, level: "warning" });
    const list = this.sources.list(event.cited, event.unused);
    if (list) this.flow.append(list);
    this.finish(figures(event));
  }

  showError({ problem, remedy }) {
    this.outcome = "failed";
    this.withdraw();
    for (const id of this.consents.keys()) this.endConsent({ id, allowed: false });
    this.showNotice({ text: [problem, remedy].filter(Boolean).join(" "), level: "error" });
    this.finish("");
  }

  finish(words) {
    this.quote?.remove();
    this.element.removeAttribute("aria-busy");
    for (const { details, summary } of this.tools.values()) {
      if (!details.classList.contains("running")) continue;
      details.className = "tool failed";
      summary.firstChild.replaceWith(icon(TOOL_STATES.failed));
    }
    this.tail?.remove();
    this.tail = make("div", { class: "turn-tools" }, this.answer ? copyButton(() => this.answer) : null, make("span", { class: "figures" }, words));
    this.flow.append(this.tail);
  }

  /** The last turn can be asked again or put otherwise. */
  setLast(last) {
    const tools = last ? [button("Edit", () => this.actions.edit(this), { class: "quiet-button" }), button("Ask again", () => this.actions.retry(this), { class: "quiet-button" })] : [];
    this.questionTools.replaceChildren(...tools);
  }

  endText() {
    this.draw();
    this.text = null;
    this.thinking = null;
  }

  add(element) {
    this.flow.append(element);
    return element;
  }
}

const SHOWN_BY = {
  answer_delta: "showDelta", thinking_delta: "showThinking", quoted: "showQuoted", answer_withdrawn: "withdraw",
  tool_started: "showTool", tool_progress: "showToolProgress", tool_finished: "showToolEnd", notice: "showNotice",
  progress: "showProgress", answered: "showAnswered", error: "showError", consent_asked: "askConsent", consent_decided: "endConsent",
};

function figures({ usage, seconds }) {
  const tokens = usage.prompt_tokens + usage.reply_tokens;
  return [tokens ? `${tokens.toLocaleString("en")} tokens` : "", seconds ? `${seconds.toFixed(1)} s` : ""].filter(Boolean).join(", ");
}
