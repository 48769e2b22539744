// Reads the headings, links, names and blocks of code that the checks need from Markdown. Lines count from 1.

/**
 * @typedef {{ line: number, text: string }} Piece
 * @typedef {{ line: number, language: string, info: string, text: string }} Block code between fences; `info` is what follows the language
 * @typedef {{ path: string, headings: Piece[], links: Piece[], names: Piece[], blocks: Block[] }} Document
 */

const FENCE = /^(\s*)(`{3,}|~{3,})\s*(\S*)\s*(.*)$/;
const HEADING = /^#{1,6}\s+(.+?)\s*#*$/;
const CODE = /(`+)(.+?)\1(?!`)/g;
const LINK = /\[(?:[^[\]]|\[[^[\]]*\])*\]\(<?([^()<>\s]+)>?(?:\s+"[^"]*")?\)/g;

/** @returns {Document} */
export function parseDocument(path, text) {
  const document = { path, headings: [], links: [], names: [], blocks: [] };
  let open = null;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = index + 1;
    const [, indent = '', fence, language = '', info = ''] = FENCE.exec(raw) ?? [];
    if (open !== null) {
      if (fence?.startsWith(open.fence) && language === '') {
        document.blocks.push({ ...open.block, text: open.lines.map((one) => `${one}\n`).join('') });
        open = null;
      } else open.lines.push(raw.startsWith(open.indent) ? raw.slice(open.indent.length) : raw.trimStart());
    } else if (fence !== undefined) {
      open = { fence, indent, lines: [], block: { line, language, info: info.trim() } };
    } else readLine(document, raw, line);
  }
  if (open !== null) throw new Error(`${path}:${open.block.line} a block of code never ends`);
  return document;
}

function readLine(document, raw, line) {
  const [, heading] = HEADING.exec(raw) ?? [];
  if (heading !== undefined) document.headings.push({ line, text: heading });
  for (const [, , code] of raw.matchAll(CODE)) document.names.push({ line, text: code.trim() });
  // The text of a link may contain code, but a link inside of code is only an example.
  const prose = raw.replace(CODE, (code) => 'x'.repeat(code.length));
  for (const [, target] of prose.matchAll(LINK)) document.links.push({ line, text: target });
}

/** Returns the anchors of a document's headings. */
export function anchorsOf({ headings }) {
  return new Set(anchorsInOrder(headings.map(({ text }) => text)));
}

/** Returns the anchors of headings, as GitHub makes them: the second heading with the same text gets the suffix -1. */
export function anchorsInOrder(headings) {
  const counts = new Map();
  return headings.map((text) => {
    const slug = slugOf(text);
    const before = counts.get(slug) ?? 0;
    counts.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

function slugOf(heading) {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
