// Which profile says how Magpie answers, and what it says to whoever begins.

import { get } from "./api.js";
import { byId, make, oneLine } from "./dom.js";
import { showMarkdown } from "./markdown.js";

const select = byId("profile");
const greeting = byId("greeting");
const usual = [...greeting.childNodes];
let greetings = new Map();
let standard = "";

/** Offer the profiles that can be used; where there is no choice, nothing is shown. */
export async function offerProfiles() {
  const { current, profiles } = await get("/api/profiles");
  const usable = profiles.filter((profile) => !profile.problem);
  standard = current;
  greetings = new Map(usable.map((profile) => [profile.name, profile.greeting]));
  select.replaceChildren(...usable.map(({ name, about }) => make("option", { value: name, title: about || null, selected: name === current }, oneLine(name, 40))));
  select.hidden = usable.length < 2;
  select.addEventListener("change", greet);
  greet();
}

function greet() {
  const text = greetings.get(select.value);
  const told = make("div", { class: "answer", dir: "auto" });
  if (text) showMarkdown(told, text, () => null);
  greeting.replaceChildren(...(text ? [told] : usual));
}

/** Choose a profile by its name; the usual one where there is none of it. */
export function chooseProfile(name) {
  select.value = greetings.has(name) ? name : standard;
  greet();
}

/** The profile that was chosen; empty while none is known. */
export const chosenProfile = () => select.value;
