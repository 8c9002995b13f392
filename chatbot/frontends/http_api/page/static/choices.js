// What was chosen for a conversation (its profile, its model, the tools that are off), found again when it is opened.

import { chooseModel, chosenModel } from "./models.js";
import { chooseProfile, chosenProfile } from "./profiles.js";
import { chooseTools, toolsOff } from "./tools.js";

const KEPT = "magpie.choices";
const MOST = 200;

/** What counts from the next question on, as a request has it. */
export const chosen = () => ({ model: chosenModel(), profile: chosenProfile(), tools_off: toolsOff() });

/** Remember in this browser what is chosen for a conversation. */
export function keepChoices(session) {
  const { [session]: _, ...others } = kept();
  const all = [...Object.entries(others), [session, chosen()]].slice(-MOST);
  localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(all)));
}

/** Choose what was chosen for a conversation; what is usual where that is not known. */
export function restoreChoices(session) {
  const { model = "", profile = "", tools_off: off = [] } = kept()[session] ?? {};
  chooseModel(model);
  chooseProfile(profile);
  chooseTools(off);
}

const kept = () => JSON.parse(localStorage.getItem(KEPT) ?? "{}");
