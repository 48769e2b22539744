// Reads worked examples. A block that names a file after its language is that file (`ts`) or a change of it (`diff`).
// The examples are applied to the source tree in memory and never written.

const CHANGE = 'diff';
/** In these languages a block is a whole file. */
const WHOLE = new Set(['ts']);
const BETWEEN_HUNKS = /^@@.*$/;

/**
 * Applies the examples of all documents.
 * @param {import('./markdown.mjs').Document[]} documents
 * @param {(path: string) => string | null} read returns a file of the tree, or null when there is none
 * @returns {{ files: Map<string, string>, faults: string[] }} the text of each new or changed file
 */
export function layOver(documents, read) {
  const files = new Map();
  const faults = [];
  for (const { path: document, blocks } of documents) {
    for (const { line, language, info: path, text } of blocks) {
      if (path === '' || (language !== CHANGE && !WHOLE.has(language))) continue;
      const at = `${document}:${line}`;
      const before = files.get(path) ?? read(path);
      if (WHOLE.has(language)) {
        if (before === null) files.set(path, text);
        else faults.push(`${at} ${path} is there already: show its change as diff`);
      } else if (before === null) faults.push(`${at} there is no ${path}`);
      else {
        const { text: after, faults: own } = applyHunks(before, text);
        files.set(path, after);
        faults.push(...own.map((fault) => `${at} ${path}: ${fault}`));
      }
    }
  }
  return { files, faults };
}

/**
 * Applies the hunks of a diff. Lines of `@@` separate them. The lines of a hunk that do not begin with `+` must occur
 * exactly once in the text, together and in this order. Line numbers are ignored, so that changes elsewhere in the file
 * do no harm.
 */
export function applyHunks(text, diff) {
  const faults = [];
  let lines = text.split('\n');
  for (const hunk of hunksOf(diff)) {
    const before = hunk.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
    const after = hunk.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
    const places = lines.flatMap((_, at) => (before.every((line, i) => lines[at + i] === line) ? [at] : []));
    const [place] = places;
    if (before.length === 0) faults.push('a hunk shows nothing of the file, so nobody knows its place');
    else if (place === undefined) faults.push(`these lines are not there (any more):\n    ${before.join('\n    ')}`);
    else if (places.length > 1)
      faults.push(`these lines are there ${places.length} times:\n    ${before.join('\n    ')}`);
    else lines = [...lines.slice(0, place), ...after, ...lines.slice(place + before.length)];
  }
  return { text: lines.join('\n'), faults };
}

function hunksOf(diff) {
  const hunks = [[]];
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    if (BETWEEN_HUNKS.test(line)) hunks.push([]);
    // Editors remove the blank of an empty line.
    else hunks.at(-1).push(line === '' ? ' ' : line);
  }
  return hunks.filter((hunk) => hunk.length > 0);
}
