// A small reader of Markdown: from text to elements. While an answer streams, what has not changed stays as it is.

import { copyButton, make } from "./dom.js";
import { inlineNodes } from "./inline.js";

// Each takes time in proportion to its line, whatever stands there.
const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?: (.*))?$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(?: +(?=\S)|\s*$)/;
const DIVIDER = /^[\s|:-]*$/;
const COLUMN = /^:?-+:?$/;
const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const DEEPEST = 8;

/** Show a text in an element; blocks that are there already in the same words are left alone. */
export function showMarkdown(root, text, cite) {
  const blocks = readBlocks(text.replaceAll("\r\n", "\n").replaceAll("\t", "    ").split("\n"), 0);
  const shown = root.shownBlocks ?? [];
  let same = 0;
  while (same < blocks.length && same < shown.length && blocks[same].raw === shown[same]) same += 1;
  while (root.childNodes.length > same) root.lastChild.remove();
  for (const block of blocks.slice(same)) root.append(blockElement(block, cite));
  root.shownBlocks = blocks.map((block) => block.raw);
}

/** Have an element shown anew, whatever stands in it. */
export function clearMarkdown(root) {
  root.replaceChildren();
  root.shownBlocks = [];
}

function readBlocks(lines, depth) {
  const blocks = [];
  const readers = depth < DEEPEST ? [readFence, readHeading, readRule, readQuote, readList, readTable] : [];
  for (let at = 0; at < lines.length; ) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    let block = null;
    for (const read of readers) if ((block = read(lines, at, depth))) break;
    block ??= readParagraph(lines, at);
    block.raw = lines.slice(at, block.end).join("\n");
    blocks.push(block);
    at = block.end;
  }
  return blocks;
}

const begins = (line) => FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);

function readParagraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !begins(lines[end])) end += 1;
  return { kind: "p", text: lines.slice(at, end).map((line) => line.trimStart()).join("\n").trimEnd(), end };
}

function readFence(lines, at) {
  const found = FENCE.exec(lines[at]);
  if (!found) return null;
  let end = at + 1;
  const closing = new RegExp(`^ {0,3}${found[1][0]}{${found[1].length},}\\s*$`);
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  return { kind: "code", text: lines.slice(at + 1, end).join("\n"), language: found[2].trim().split(/\s/)[0], end: Math.min(end + 1, lines.length) };
}

function readHeading(lines, at) {
  const found = HEADING.exec(lines[at]);
  return found && { kind: "heading", level: found[1].length, text: (found[2] ?? "").trim().replace(/ #{1,6}$/, ""), end: at + 1 };
}

function readRule(lines, at) {
  return RULE.test(lines[at]) ? { kind: "hr", end: at + 1 } : null;
}

function readQuote(lines, at, depth) {
  if (!QUOTE.test(lines[at])) return null;
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && (QUOTE.test(lines[end]) || !begins(lines[end]))) end += 1;
  return { kind: "quote", blocks: readBlocks(lines.slice(at, end).map((line) => line.replace(QUOTE, "")), depth + 1), end };
}

function readList(lines, at, depth) {
  const first = ITEM.exec(lines[at]);
  if (!first || first[1].length > 3) return null;
  const ordered = /\d/.test(first[2]);
  const items = [];
  let end = at;
  let [loose, separated] = [false, false];
  while (end < lines.length) {
    const found = ITEM.exec(lines[end]);
    if (!found || found[1].length > first[1].length + 1 || /\d/.test(found[2]) !== ordered || RULE.test(lines[end])) break;
    loose ||= separated;
    const begin = end;
    end = itemEnd(lines, end, found[1].length);
    const own = [lines[begin].slice(found[0].length), ...lines.slice(begin + 1, end).map((line) => line.slice(Math.min(found[0].length, line.search(/\S|$/))))];
    separated = !lines[end - 1].trim();
    items.push(readBlocks(own, depth + 1));
  }
  return { kind: "list", ordered, start: ordered ? parseInt(first[2], 10) : 1, loose, items, end };
}

/** Where an item ends: before a line that is not indented as its text is, unless that goes on with a paragraph. */
function itemEnd(lines, at, indent) {
  let end = at + 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end];
    const own = line.search(/\S/) >= indent + 2;
    if (!line.trim()) {
      const next = lines[end + 1];
      if (next === undefined || !(next.search(/\S/) >= indent + 2 || !next.trim() || ITEM.test(next))) break;
    } else if (!own && (begins(line) || !lines[end - 1].trim())) break;
  }
  return end;
}

function readTable(lines, at) {
  if (!lines[at].includes("|") || at + 1 >= lines.length || !lines[at + 1].includes("-") || !DIVIDER.test(lines[at + 1])) return null;
  const head = cells(lines[at]);
  const marks = cells(lines[at + 1]);
  if (head.length !== marks.length || !marks.every((mark) => COLUMN.test(mark))) return null;
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) end += 1;
  const sides = marks.map((mark) => (/^:-+:$/.test(mark) ? "center" : /-:$/.test(mark) ? "end" : ""));
  return { kind: "table", head, sides, rows: lines.slice(at + 2, end).map(cells), end };
}

const cells = (line) => line.trim().replace(/^\||(?<!\\)\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));

function blockElement(block, cite) {
  const inline = (text) => inlineNodes(text, cite);
  switch (block.kind) {
    case "code": return codeElement(block);
    // Below the headings of the page itself.
    case "heading": return make(`h${Math.min(6, block.level + 2)}`, { dir: "auto" }, inline(block.text));
    case "hr": return make("hr");
    case "quote": return make("blockquote", { dir: direction(block.raw) }, block.blocks.map((each) => blockElement(each, cite)));
    case "list": return listElement(block, cite);
    case "table": return tableElement(block, inline);
    default: return make("p", { dir: "auto" }, inline(block.text));
  }
}

/** Which way a block of blocks is read: `dir=auto` does not look into parts that have their own. */
function direction(text) {
  const letter = LETTER.exec(text);
  return letter && RIGHT_TO_LEFT.test(letter[0]) ? "rtl" : "ltr";
}

function codeElement({ text, language }) {
  const head = make("div", { class: "code-head" }, make("span", {}, language), copyButton(() => text));
  return make("div", { class: "code", dir: "ltr" }, head, make("pre", { tabindex: "0", role: "group", "aria-label": `Code ${language}`.trim() }, make("code", {}, text)));
}

function listElement(list, cite) {
  const made = make(list.ordered ? "ol" : "ul", { dir: direction(list.raw), start: list.ordered && list.start !== 1 ? list.start : null });
  for (const blocks of list.items) {
    const item = make("li", { dir: "auto" });
    for (const block of blocks) {
      const box = block.kind === "p" && /^\[[ xX]\] /.exec(block.text);
      const text = box ? `${box[0][1] === " " ? "☐" : "☑"} ${block.text.slice(4)}` : block.text;
      const nodes = block.kind === "p" && !list.loose ? inlineNodes(text, cite) : [blockElement({ ...block, text }, cite)];
      for (const node of nodes) item.append(node);
    }
    made.append(item);
  }
  return made;
}

function tableElement({ head, sides, rows, raw }, inline) {
  const row = (tag, texts) => make("tr", {}, head.map((_, column) => make(tag, { dir: "auto", class: sides[column] || null, scope: tag === "th" ? "col" : null }, inline(texts[column] ?? ""))));
  const table = make("table", { dir: direction(raw) }, make("thead", {}, row("th", head)), make("tbody", {}, rows.map((texts) => row("td", texts))));
  return make("div", { class: "table", tabindex: "0", role: "group", "aria-label": "Table" }, table);
}
