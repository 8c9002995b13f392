// The conversation on the page: asked, stopped, gone on with after a reload or a cut, asked again.

import { get, listen, request } from "./api.js";
import { byId, make } from "./dom.js";
import { showContext } from "./context.js";
import { chosenModel } from "./models.js";
import { Sources } from "./sources.js";
import { Turn } from "./turn.js";

const UNDER_WAY = "magpie.answer";
const LONGEST_WAIT = 8000;
const MOST_TRIES = 20;
const MOST_SPOKEN = 2000;
const [log, scroll, question] = ["log", "scroll", "question"].map(byId);

export class Conversation {
  /** `changed()` is called when the list of conversations may be another one. */
  constructor(changed) {
    this.changed = changed;
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

  addTurn(text) {
    const actions = { edit: () => this.edit(), retry: () => this.retry() };
    const turn = new Turn({ question: text, sources: this.sources, tell: (words) => this.tell(words), actions });
    this.turns.push(turn);
    log.append(turn.element);
    byId("welcome").hidden = true;
    return turn;
  }

  /** Ask a question here. */
  async ask(text) {
    const turn = this.addTurn(text);
    scrollDown();
    this.tell("Asking…");
    await this.hear(turn, 0, async (signal) => {
      const asked = { message: text, session: this.session, resumable: true, library_only: byId("library-only").checked, model: chosenModel() };
      const response = await request("/api/chat", { json: asked, signal });
      this.answer = response.headers.get("Magpie-Chat");
      this.session = response.headers.get("Magpie-Session");
      sessionStorage.setItem(UNDER_WAY, JSON.stringify({ answer: this.answer, session: this.session, question: text }));
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
        const lost = !error.status && this.answer && (tries += 1) <= MOST_TRIES;
        if (!lost) ended = this.show(turn, { event: "error", problem: error.problem ?? "The connection was lost.", remedy: error.remedy ?? "Ask again." });
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
    if (this.answer) await request(`/api/chat/${encodeURIComponent(this.answer)}`, { method: "DELETE" });
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
    this.replay(live ? before(kept.events, going.question) : kept.events);
    this.entitle(kept.session.title);
    this.setRunning(false);
    scrollDown();
    if (!live) return;
    this.answer = going.answer;
    await this.hear(this.addTurn(going.question), 0, (signal) => this.follow(0, signal));
  }

  replay(events) {
    let turn = null;
    for (const event of events) {
      if (event.event === "asked") {
        turn?.finish("");
        turn = this.addTurn(event.text);
      } else if (turn?.show(event)) turn = null;
    }
    turn?.endText();
    turn?.finish("");
  }

  /** Take the last question back, and ask it again. */
  async retry() {
    const text = await this.takeBack();
    if (text) await this.ask(text);
  }

  /** Take the last question back, and put it where the user types. */
  async edit() {
    const text = await this.takeBack();
    if (!text) return;
    question.value = text;
    question.focus();
  }

  async takeBack() {
    if (this.running || !this.turns.length) return "";
    const kept = this.session ? await get(`/api/sessions/${this.session}`).catch(() => null) : null;
    const asked = kept?.events.filter((event) => event.event === "asked") ?? [];
    // A question that failed before it was written down has nothing to be taken back.
    if (asked.at(-1)?.text === this.turns.at(-1).question) await request(`/api/sessions/${this.session}/undo`, { method: "POST" });
    const turn = this.turns.pop();
    turn.element.remove();
    this.entitle(this.title);
    this.setRunning(false);
    return turn.question;
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

function scrollDown() {
  scroll.scrollTop = scroll.scrollHeight;
}

/** The conversation of an answer that this tab has not heard to its end; empty where there is none. */
export const sessionUnderWay = () => JSON.parse(sessionStorage.getItem(UNDER_WAY) ?? "null")?.session ?? "";
