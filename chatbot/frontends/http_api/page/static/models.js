// Which model answers: the one of the settings, or another one that is there.

import { get } from "./api.js";
import { byId, make, oneLine } from "./dom.js";

const OWN = "magpie";
const select = byId("model");
let wanted = "";

/** Offer the models; where there is no choice, nothing is shown. */
export async function offerModels() {
  const { data } = await get("/v1/models");
  const names = data.filter((model) => model.owned_by !== OWN).map((model) => model.id);
  select.replaceChildren(make("option", { value: "" }, "Usual model"), ...names.map((name) => make("option", { value: name }, oneLine(name, 60))));
  select.hidden = !names.length;
  chooseModel(wanted);
}

/** Choose a model by its name, once it is known which there are; the usual one where it is gone. */
export function chooseModel(name) {
  wanted = name === OWN ? "" : name;
  select.value = wanted;
  if (select.selectedIndex < 0) select.value = "";
}

/** The model that was chosen. */
export const chosenModel = () => (select.options.length ? select.value : wanted) || OWN;
