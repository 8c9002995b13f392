// The conversation on the page: asked, stopped, gone on with after a reload or a cut, asked again.

import { get, listen, request } from "./api.js";
import { encodeFiles } from "./attachments.js";
import { chosen, keepChoices, restoreChoices } from "./choices.js";
import { byId, make } from "./dom.js";
import { showContext } from "./context.js";
import { Sources } from "./sources.js";
import { Turn } from "./turn.js";

const UNDER_WAY = "magpie.answer";
const LONGEST_WAIT = 8000;
const MOST_TRIES = 20;
const MOST_SPOKEN = 2000;
const [log, scroll, question] = ["log", "scroll", "question"].map(byId);

export class Conversation {
  /** `changed()` is called when the list of conversations may be another one; `attach(files)` attaches them anew. */
  constructor(changed, attach) {
    Object.assign(this, { changed, attach });
    this.clear();
  }

  clear() {
    Object.assign(this, { session: "", answer: "", turns: [], sources: new Sources(), stopping: false });
    // What still comes of an answer belongs to the conversation that was left.
    this.hearing?.abort();
    this.hearing = null;
    log.replaceChildren();
    showContext(null);
    this.entitle("");
    this.setRunning(false);
    this.tell("");
  }

  get running() {
    return this.hearing !== null;
  }

  tell(words) {
    byId("status").textContent = words;
  }

  entitle(title) {
    this.title = title;
    byId("title").textContent = title || (this.turns.length ? "Conversation" : "New conversation");
    document.title = title ? `${title} – Magpie` : "Magpie";
    byId("menu").hidden = !this.session;
    byId("welcome").hidden = this.turns.length > 0;
    const hash = this.session ? `#${this.session}` : location.pathname;
    if (location.hash !== (this.session ? hash : "")) history.replaceState(null, "", hash);
  }

  setRunning(running) {
    byId("send").hidden = running;
    byId("stop").hidden = !running;
    this.turns.forEach((turn, index) => turn.setLast(!running && index === this.turns.length - 1));
  }

  addTurn(text, files = [], names = files.map((file) => file.name)) {
    const actions = { edit: () => this.edit(), retry: () => this.retry() };
    const turn = new Turn({ question: text, files, names, sources: this.sources, tell: (words) => this.tell(words), actions });
    this.turns.push(turn);
    log.append(turn.element);
    byId("welcome").hidden = true;
    scrollDown();
    return turn;
  }

  /** Ask a question here, with files. */
  ask(text, files = []) {
    const turn = this.addTurn(text, files);
    return this.begin(turn, "/api/chat", async () => ({ message: text, attachments: await encodeFiles(files) }));
  }

  /** Have a turn answered by what `path` does with the fields that `fill` gives, and with what is chosen. */
  async begin(turn, path, fill) {
    this.tell("Asking…");
    await this.hear(turn, 0, async (signal) => {
      const wishes = { library_only: byId("library-only").checked, resumable: true, ...chosen() };
      const response = await request(path, { json: { session: this.session, ...wishes, ...(await fill()) }, signal });
      this.answer = response.headers.get("Magpie-Chat");
      this.session = response.headers.get("Magpie-Session");
      keepChoices(this.session);
      const going = { answer: this.answer, session: this.session, question: turn.question, names: turn.names };
      sessionStorage.setItem(UNDER_WAY, JSON.stringify(going));
      this.entitle(this.title);
      if (this.stopping) await this.stop();
      return response;
    });
  }

  /** Hear the events of an answer to their end, over cut connections as well. */
  async hear(turn, heard, open) {
    const hearing = new AbortController();
    this.hearing = hearing;
    this.stopping = false;
    this.setRunning(true);
    let [last, ended, tries] = [heard, false, 0];
    while (!ended && !hearing.signal.aborted) {
      try {
        await listen(await open(hearing.signal), (number, event) => {
          if (hearing.signal.aborted) return;
          [last, tries] = [number, 0];
          ended = this.show(turn, event) || ended;
        });
        if (!ended) throw new TypeError("The stream ended early.");
      } catch (error) {
        if (hearing.signal.aborted) return;
        const lost = !error.status && this.answer && !this.stopping && (tries += 1) <= MOST_TRIES;
        if (!lost) ended = this.show(turn, { event: "error", ...whyEnded(error) });
        else {
          this.tell("The connection was lost; trying to go on…");
          await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_WAIT, 250 * 2 ** tries)));
          open = (signal) => this.follow(last, signal);
        }
      }
    }
    if (this.hearing === hearing) this.finish(turn);
  }

  follow(last, signal) {
    return request(`/api/chat/${encodeURIComponent(this.answer)}/events`, { headers: last ? { "Last-Event-ID": String(last) } : {}, signal });
  }

  show(turn, event) {
    const atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 120;
    if (event.event === "context_used") showContext(event);
    const ended = turn.show(event);
    // Of what was drawn for this event, which comes first.
    if (atEnd) requestAnimationFrame(scrollDown);
    if (event.event === "answered") byId("spoken").textContent = turn.text.textContent.slice(0, MOST_SPOKEN);
    return ended;
  }

  finish(turn) {
    this.hearing = null;
    this.answer = "";
    sessionStorage.removeItem(UNDER_WAY);
    this.tell(turn.element.querySelector(".notice.error") ? "" : "Done.");
    this.setRunning(false);
    this.changed();
  }

  async stop() {
    if (!this.running) return;
    this.stopping = true;
    this.tell("Stopping…");
    if (!this.answer) return;
    await request(`/api/chat/${encodeURIComponent(this.answer)}`, { method: "DELETE" }).catch((error) => {
      // Of a server that is away whoever listens is told.
      if (error.status) throw error;
    });
  }

  /** Open a kept conversation; an answer of it that is under way goes on. */
  async open(session) {
    this.clear();
    const underWay = JSON.parse(sessionStorage.getItem(UNDER_WAY) ?? "null");
    const going = underWay?.session === session ? underWay : null;
    const live = going && (await get(`/api/chat/${encodeURIComponent(going.answer)}`).catch(() => null));
    const kept = await get(`/api/sessions/${encodeURIComponent(session)}`).catch((error) => {
      // Of the first answer nothing may have been written yet.
      if (live && error.status === 404) return { session: { title: "" }, events: [] };
      throw error;
    });
    this.session = session;
    restoreChoices(session);
    this.replay(live ? before(kept.events, going.question) : kept.events);
    this.entitle(kept.session.title);
    this.setRunning(false);
    scrollDown();
    if (!live) return;
    this.answer = going.answer;
    await this.hear(this.addTurn(going.question, [], going.names), 0, (signal) => this.follow(0, signal));
  }

  replay(events) {
    let turn = null;
    for (const event of events) {
      if (event.event === "asked") {
        turn?.finish("");
        turn = this.addTurn(event.text, [], event.attached);
      } else if (turn?.show(event)) turn = null;
    }
    turn?.endText();
    turn?.finish("");
    // What went on then goes on no more.
    this.tell("");
  }

  /** Show what was said here meanwhile, in another tab say; whether something was. */
  async catchUp() {
    const { session } = this;
    if (this.running || !session) return false;
    const kept = await get(`/api/sessions/${session}`).catch(() => null);
    if (!kept || this.running || this.session !== session || areShown(kept.events, this.turns)) return false;
    await this.open(session);
    this.tell("This conversation went on elsewhere; here it is as it stands.");
    return true;
  }

  /** Ask the last question again: the server has what went with it, once it was written down. */
  async retry() {
    if (this.running || !this.turns.length || (await this.catchUp())) return;
    const kept = await this.isKept();
    const { question: text, files, names } = this.removeTurn();
    if (kept) await this.begin(this.addTurn(text, files, names), "/api/chat/again", () => ({}));
    else await this.ask(text, files);
  }

  /** Take the last question back, and put it where the user types, with its files. */
  async edit() {
    if (this.running || !this.turns.length || (await this.catchUp())) return;
    if (await this.isKept()) await request(`/api/sessions/${this.session}/undo`, { method: "POST" });
    const { question: text, files, names } = this.removeTurn();
    this.entitle(this.title);
    this.setRunning(false);
    question.value = text;
    question.focus();
    if (files.length) this.attach(files);
    else if (names.length) this.tell(`Attach again what went with it: ${names.join(", ")}`);
  }

  /** Whether the last question was written down: one that failed before has nothing to be taken back. */
  async isKept() {
    const kept = this.session ? await get(`/api/sessions/${this.session}`).catch(() => null) : null;
    const asked = kept?.events.filter((event) => event.event === "asked") ?? [];
    return asked.at(-1)?.text === this.turns.at(-1).question;
  }

  removeTurn() {
    const turn = this.turns.pop();
    turn.element.remove();
    return turn;
  }

  showFailure(error) {
    this.tell("");
    log.append(make("p", { class: "notice error", role: "alert" }, error.message));
    scrollDown();
  }
}

/** What was said before the question that is being answered. */
function before(events, text) {
  const at = events.findLastIndex((event) => event.event === "asked");
  return at >= 0 && events[at].text === text ? events.slice(0, at) : events;
}

/** Whether turns are what is kept; those that failed may stand between. */
function areShown(events, turns) {
  const kept = [];
  for (const { event, text } of events) {
    if (event === "asked") kept.push({ question: text, answer: null });
    else if (event === "answered" && kept.length) kept.at(-1).answer = text;
  }
  let found = 0;
  for (const { question: text, answer, outcome } of turns) {
    const next = kept[found];
    const agrees = next?.question === text && (outcome === "failed" || next.answer === (outcome ? answer : null));
    if (agrees) found += 1;
    else if (outcome !== "failed") return false;
  }
  return found === kept.length;
}

function whyEnded({ code, problem = "The connection was lost.", remedy = "Ask again." }) {
  // Only a server that was begun anew does not know what it was asked a moment ago.
  return code === "no_chat" ? { problem: "The server was ended in the middle of this answer.", remedy: "Ask again." } : { problem, remedy };
}

function scrollDown() {
  scroll.scrollTop = scroll.scrollHeight;
}

/** The conversation of an answer that this tab has not heard to its end; empty where there is none. */
export const sessionUnderWay = () => JSON.parse(sessionStorage.getItem(UNDER_WAY) ?? "null")?.session ?? "";
