// Requests to the server that the page came from: with the token where one is needed, failures as sentences.

import { byId } from "./dom.js";

const TOKEN = "magpie.token";
let asking = null;

/** What the server did not do, in its own words. */
export class Refused extends Error {
  constructor(problem, remedy = "", status = 0, code = "") {
    super([problem, remedy].filter(Boolean).join(" "));
    Object.assign(this, { problem, remedy, status, code });
  }
}

/** The answer to a request; raises `Refused`. `json` is sent as the body. */
export async function request(path, { json, headers = {}, ...options } = {}) {
  for (;;) {
    const token = sessionStorage.getItem(TOKEN);
    const sent = { ...headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    if (json !== undefined) {
      options = { method: "POST", ...options, body: JSON.stringify(json) };
      sent["Content-Type"] = "application/json";
    }
    const response = await fetch(path, { ...options, headers: sent, credentials: "omit" }).catch((error) => {
      if (error.name === "AbortError") throw error;
      throw new Refused("Magpie cannot be reached.", "See whether `magpie serve` is running.");
    });
    if (response.ok) return response;
    if (response.status !== 401) throw await refusal(response);
    await askToken(token);
  }
}

/** The same, as the value that came. */
export const get = async (path, options) => (await request(path, options)).json();

/** Hear the events of a response one by one, `heard(number, event)`; raises when the connection breaks. */
export async function listen(response, heard) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => [line.split(":", 1)[0], line.slice(line.indexOf(":") + 1).trim()]));
      if (fields.data) heard(Number(fields.id), JSON.parse(fields.data));
    }
  }
}

async function refusal(response) {
  const { error = {} } = await response.json().catch(() => ({}));
  const problem = error.problem || `The server answered with ${response.status}.`;
  return new Refused(problem, error.remedy, response.status, error.code);
}

/** Ask for a token, once for all requests that wait for it. */
function askToken(refused) {
  if (refused !== sessionStorage.getItem(TOKEN)) return Promise.resolve();
  asking ??= new Promise((resolve) => {
    const dialog = byId("token");
    if (refused) byId("token-problem").textContent = "That token lets nobody in. Try another one.";
    byId("token-form").onsubmit = (event) => {
      event.preventDefault();
      sessionStorage.setItem(TOKEN, byId("token-text").value.trim());
      byId("token-text").value = "";
      dialog.close();
    };
    dialog.oncancel = (event) => event.preventDefault();
    dialog.onclose = () => {
      asking = null;
      resolve();
    };
    dialog.showModal();
  });
  return asking;
}
