// The page put together: what is typed, pressed and chosen leads to the conversation and the side panel.

import { request } from "./api.js";
import { Attachments } from "./attachments.js";
import { Conversation, sessionUnderWay } from "./chat.js";
import { keepChoices } from "./choices.js";
import { byId, closable, oneLine } from "./dom.js";
import { takeDrops } from "./drops.js";
import { History } from "./history.js";
import { Library } from "./library.js";
import { Memory } from "./memory.js";
import { offerModels } from "./models.js";
import { offerProfiles } from "./profiles.js";
import { ask } from "./prompt.js";
import { listReminders, tellReminders } from "./reminders.js";
import { Research } from "./research.js";
import { closeSide, setUpSide } from "./side.js";
import { hideCard } from "./sources.js";

const question = byId("question");
const touch = matchMedia("(pointer: coarse)");
// A new conversation takes the old one's id out of the address.
const goingOn = location.hash.slice(1) || sessionUnderWay();
const conversation = new Conversation(() => kept.refresh(), (files) => attachments.add(files));
const attachments = new Attachments((words) => conversation.tell(words));
const kept = new History(conversation, openSession);
const library = new Library();
const memory = new Memory();
const research = new Research(openSession, (finished) => attempt(async () => {
  await kept.refresh();
  if (finished && !conversation.running) conversation.tell(`The report on “${oneLine(finished.question, 60)}” is there.`);
}));

async function openSession(session) {
  closeSide();
  await thenType(() => attempt(() => (session ? conversation.open(session) : conversation.clear())));
  kept.mark();
}

/** Do something, and let the question be typed then; whoever types elsewhere meanwhile goes on there. */
async function thenType(work) {
  const before = document.activeElement;
  const typing = before !== question && before.matches("input, textarea, select");
  await work();
  if (!typing && [before, document.body].includes(document.activeElement)) question.focus();
}

/** Do what may fail, and say so where it does. */
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    conversation.showFailure(error);
  }
}

async function send() {
  // What is typed before the conversation is there belongs to it all the same.
  await begun;
  const text = question.value.trim();
  if (!text || conversation.running) return;
  question.value = "";
  await attempt(() => conversation.ask(text, attachments.take()));
  kept.mark();
}

function setUpComposer() {
  byId("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  question.addEventListener("keydown", (event) => {
    // Where there is no Shift at hand, Enter begins a new line.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || touch.matches) return;
    event.preventDefault();
    send();
  });
  byId("stop").addEventListener("click", () => attempt(() => conversation.stop()));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
    if (!hideCard() && !closeSide()) attempt(() => conversation.stop());
  });
}

function setUpMenu() {
  const menu = byId("menu");
  const choose = (id, work) => byId(id).addEventListener("click", () => {
    menu.open = false;
    attempt(work);
  });
  document.addEventListener("click", (event) => menu.contains(event.target) || (menu.open = false));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  choose("rename", async () => {
    const title = await ask("The title of this conversation", "Rename", conversation.title);
    if (!title) return;
    await request(`/api/sessions/${conversation.session}`, { method: "PATCH", json: { title } });
    conversation.entitle(title);
    await kept.refresh();
  });
  choose("branch", async () => {
    const copy = await (await request(`/api/sessions/${conversation.session}/branch`, { method: "POST" })).json();
    keepChoices(copy.id);
    await conversation.open(copy.id);
    conversation.tell("You go on in a copy.");
    await kept.refresh();
  });
  choose("delete", async () => {
    if (!(await ask("Delete this conversation for good?", "Delete"))) return;
    await request(`/api/sessions/${conversation.session}`, { method: "DELETE" });
    await openSession("");
    await kept.refresh();
  });
  for (const each of menu.querySelectorAll("[data-export]")) {
    each.addEventListener("click", () => {
      menu.open = false;
      attempt(() => download(each.dataset.export));
    });
  }
}

/** Save the conversation as a file; a plain link could not send the token. */
async function download(form) {
  const response = await request(`/api/sessions/${conversation.session}/export?form=${form}`);
  const address = URL.createObjectURL(await response.blob());
  const anchor = document.createElement("a");
  Object.assign(anchor, { href: address, download: `magpie-${conversation.session}.${form}` });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

setUpComposer();
setUpMenu();
setUpSide({ "tab-library": () => library.refresh(), "tab-memory": () => Promise.all([memory.refresh(), listReminders()]), "tab-research": () => research.refresh() });
takeDrops((files) => attachments.add(files), (files) => {
  byId("tab-library").click();
  library.addFiles(files);
});
closable(byId("prompt"));
byId("new-chat").addEventListener("click", () => openSession(""));
// What was said meanwhile in another tab, or in a terminal.
addEventListener("focus", () => attempt(async () => {
  await conversation.catchUp();
  await kept.refresh();
}));
addEventListener("hashchange", () => {
  const session = location.hash.slice(1);
  if (session !== conversation.session) openSession(session);
});
const begun = begin();

async function begin() {
  await thenType(async () => {
    await attempt(() => kept.refresh());
    attempt(offerModels);
    await attempt(offerProfiles);
  });
  // One that goes on is followed from the beginning, whichever tab is open.
  research.refresh();
  tellReminders();
  if (goingOn) await openSession(goingOn);
}
