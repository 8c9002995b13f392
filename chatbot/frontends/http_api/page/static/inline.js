// The inline half of Markdown: from a line of text to nodes. What is no Markdown, HTML included, stays text.

import { link, make, safeAddress } from "./dom.js";

const SPECIAL = /[\\`![<*_~&]|\bhttps?:\/\/|\n/g;
const ESCAPED = /\\([!-/:-@[-`{-~])/y;
const TICKS = /`+/y;
const NUMBERS = /\[(\d{1,3}(?:, ?\d{1,3})*)\]/y;
const POINTED = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/y;
const BARE = /https?:\/\/[^\s<>"`]{1,2000}/y;
const TARGET = /\( {0,3}(?:<([^<>\n]{0,2000})>|([^\s()]{0,2000}(?:\([^\s()]{0,500}\)[^\s()]{0,500}){0,9}))(?: {1,3}(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'))? {0,3}\)/y;
const ENTITY = /&(amp|lt|gt|quot|apos|nbsp|#39);/y;
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", "#39": "'" };
const EMPHASIS = [["**", "strong"], ["__", "strong"], ["~~", "del"], ["*", "em"], ["_", "em"]];
const MOST_LABEL = 1000;
const DEEPEST = 12;

/** Nodes for a text; `cite(number)` gives the node of a footnote, or nothing where there is no such source. */
export function inlineNodes(text, cite, depth = 0) {
  return new InlineReader(text, cite, depth).read();
}

class InlineReader {
  constructor(text, cite, depth) {
    Object.assign(this, { text, cite, depth, nodes: [], plain: "", at: 0, missing: new Set() });
  }

  read() {
    while (this.at < this.text.length) {
      SPECIAL.lastIndex = this.at;
      const found = SPECIAL.exec(this.text);
      const next = found ? found.index : this.text.length;
      this.plain += this.text.slice(this.at, next);
      this.at = next;
      if (found && !this.readSpecial(found[0])) {
        this.plain += found[0][0];
        this.at += 1;
      }
    }
    this.flush();
    return this.nodes;
  }

  readSpecial(mark) {
    switch (mark) {
      case "\\": return this.readEscape();
      case "`": return this.readCode();
      case "!": return this.text[this.at + 1] === "[" && this.readLink(true);
      case "[": return this.readLink(false) || this.readNumbers();
      case "<": return this.readPointed();
      case "&": return this.readEntity();
      case "\n": return this.readBreak();
      default: return mark.startsWith("http") ? this.readBare() : this.readEmphasis();
    }
  }

  flush() {
    if (this.plain) this.nodes.push(document.createTextNode(this.plain));
    this.plain = "";
  }

  add(end, ...nodes) {
    this.flush();
    for (const node of nodes) this.nodes.push(node);
    this.at = end;
    return true;
  }

  match(pattern, at = this.at) {
    pattern.lastIndex = at;
    return pattern.exec(this.text);
  }

  inner(text, cite = this.cite) {
    return this.depth < DEEPEST ? inlineNodes(text, cite, this.depth + 1) : [document.createTextNode(text)];
  }

  readEscape() {
    if (this.text[this.at + 1] === "\n") return this.add(this.at + 2, make("br"));
    const found = this.match(ESCAPED);
    if (!found) return false;
    this.plain += found[1];
    this.at += 2;
    return true;
  }

  readEntity() {
    const found = this.match(ENTITY);
    if (!found) return false;
    this.plain += ENTITIES[found[1]];
    this.at += found[0].length;
    return true;
  }

  readBreak() {
    const hard = this.plain.endsWith("  ");
    this.plain = this.plain.trimEnd();
    if (hard) return this.add(this.at + 1, make("br"));
    this.plain += "\n";
    this.at += 1;
    return true;
  }

  readCode() {
    const ticks = this.match(TICKS)[0];
    const end = this.closing(ticks, this.at + ticks.length, (index) => this.text[index - 1] !== "`" && this.text[index + ticks.length] !== "`");
    if (end < 0) {
      this.plain += ticks;
      this.at += ticks.length;
      return true;
    }
    let code = this.text.slice(this.at + ticks.length, end).replaceAll("\n", " ");
    if (code.startsWith(" ") && code.endsWith(" ") && code.trim()) code = code.slice(1, -1);
    return this.add(end + ticks.length, make("code", { dir: "ltr" }, code));
  }

  /** Where a mark stands next that `fits`, -1 where nowhere; that is looked up once for the rest of the text. */
  closing(mark, from, fits) {
    if (this.missing.has(mark)) return -1;
    for (let index = this.text.indexOf(mark, from); index >= 0; index = this.text.indexOf(mark, index + 1)) {
      if (fits(index)) return index;
    }
    this.missing.add(mark);
    return -1;
  }

  readEmphasis() {
    for (const [mark, tag] of EMPHASIS) {
      if (!this.text.startsWith(mark, this.at)) continue;
      const begin = this.at + mark.length;
      const worded = mark[0] === "_";
      if (!/\S/.test(this.text[begin] ?? " ") || (worded && /\w/.test(this.text[this.at - 1] ?? " "))) continue;
      const end = this.closing(mark, begin + 1, (index) => {
        const after = this.text[index + mark.length] ?? " ";
        return /\S/.test(this.text[index - 1]) && after !== mark[0] && (mark.length > 1 || this.text[index - 1] !== mark) && !(worded && /\w/.test(after));
      });
      if (end < 0) continue;
      // A number that is struck out leads nowhere.
      const cite = tag === "del" ? () => null : this.cite;
      return this.add(end + mark.length, make(tag, {}, this.inner(this.text.slice(begin, end), cite)));
    }
    return false;
  }

  readNumbers() {
    const found = this.match(NUMBERS);
    if (!found) return false;
    const notes = found[1].split(/, ?/).map((number) => this.cite(Number(number)));
    return notes.every(Boolean) && this.add(this.at + found[0].length, ...notes);
  }

  /** A link, or a picture: that is never loaded, its words and its address are shown. */
  readLink(picture) {
    const begin = this.at + (picture ? 2 : 1);
    const end = this.labelEnd(begin);
    const target = end < 0 ? null : this.match(TARGET, end + 1);
    if (!target) return false;
    const label = this.text.slice(begin, end);
    const address = target[1] ?? target[2] ?? "";
    const after = end + 1 + target[0].length;
    if (picture) {
      const shown = make("span", { class: "picture" }, `Picture: ${label || "without words"} (`, link(address, address), ")");
      return this.add(after, shown);
    }
    if (!safeAddress(address)) {
      if (/^\d{1,3}(, ?\d{1,3})*$/.test(label)) return false;
      return this.add(after, make("span", {}, this.inner(label, () => null), address ? ` (${address})` : ""));
    }
    return this.add(after, link(address, this.inner(label, () => null)));
  }

  labelEnd(begin) {
    let open = 1;
    const last = Math.min(this.text.length, begin + MOST_LABEL);
    for (let index = begin; index < last; index += 1) {
      const character = this.text[index];
      if (character === "\\") index += 1;
      else if (character === "[") open += 1;
      else if (character === "]" && (open -= 1) === 0) return index;
    }
    return -1;
  }

  readPointed() {
    const found = this.match(POINTED);
    return Boolean(found) && this.add(this.at + found[0].length, link(found[1], found[1].replace(/^mailto:/, "")));
  }

  readBare() {
    const address = this.match(BARE)?.[0].replace(/[.,:;!?'"*_~\]]+$/, "");
    if (!address || !safeAddress(address)) return false;
    // A bracket belongs to it only where it was opened in it.
    const shown = address.endsWith(")") && !address.includes("(") ? address.replace(/\)+$/, "") : address;
    return this.add(this.at + shown.length, link(shown, shown));
  }
}
