// What documents point at has to be there: files, headings, scripts, and names of the code.
import { posix } from 'node:path';
import { anchorsOf } from './markdown.mjs';

const FOLDERS = /^(src|test|migrations|scripts|bench|docker|docs)\/[\w./-]+$/;
const SCRIPT = /\bnpm run ([\w:-]+)/g;
/** `PascalCase` and `camelCase` with two humps at least, and names of the environment: what only the code can mean. */
const IDENTIFIER = /^@?([A-Z][a-z]+(?:[A-Z]\w*)|[a-z]+(?:[A-Z][a-z]\w*)+|[A-Z][A-Z\d]*(?:_[A-Z\d]+)+)\b/;

/**
 * @param {import('./markdown.mjs').Document[]} documents
 * @param {{ exists(path: string): boolean, scripts: ReadonlySet<string>, knowsName(name: string): boolean }} project
 *   paths are relative to its root
 * @returns {string[]} a line for each fault
 */
export function faultsOfReferences(documents, project) {
  const byPath = new Map(documents.map((document) => [document.path, document]));
  return documents.flatMap((document) => [
    ...document.links.flatMap((link) => faultOfLink(document, link, byPath, project)),
    ...document.names.flatMap((name) => faultOfName(document, name, project)),
    ...[...document.names, ...document.blocks].flatMap((piece) => faultOfScripts(document, piece, project)),
  ]);
}

/** Documents that no way from `start` leads to: nobody finds them. */
export function orphansOf(documents, start) {
  const byPath = new Map(documents.map((document) => [document.path, document]));
  const found = new Set([start]);
  for (const path of found) {
    for (const { text } of byPath.get(path)?.links ?? []) found.add(targetOf(path, text.split('#')[0]));
  }
  return documents
    .filter(({ path }) => !found.has(path))
    .map(({ path }) => `${path}:1 no link leads here from ${start}`);
}

/** The path of what a link of a document names; of an address elsewhere something that is no path of ours. */
function targetOf(path, file) {
  return file === '' ? path : posix.join(posix.dirname(path), decodeURI(file));
}

function faultOfLink({ path }, { line, text }, byPath, project) {
  if (/^[a-z][a-z\d+.-]*:/i.test(text)) return [];
  const [file = '', anchor] = text.split('#');
  const target = targetOf(path, file);
  if (target.startsWith('..') || !project.exists(target)) return [`${path}:${line} there is no ${file}`];
  if (anchor === undefined) return [];
  const document = byPath.get(target);
  if (document === undefined || !anchorsOf(document).has(anchor))
    return [`${path}:${line} ${target} has no #${anchor}`];
  return [];
}

function faultOfName({ path }, { line, text }, project) {
  if (FOLDERS.test(text)) return project.exists(text) ? [] : [`${path}:${line} there is no ${text}`];
  // Of `Database.transaction(…)`, `new Database()` and `@Requires({…})` the first name.
  const [, name] = IDENTIFIER.exec(text.replace(/^new /, '')) ?? [];
  return name === undefined || project.knowsName(name) ? [] : [`${path}:${line} the code knows no ${name}`];
}

function faultOfScripts({ path }, { line, text }, { scripts }) {
  return [...text.matchAll(SCRIPT)]
    .map(([, name]) => name)
    .filter((name) => !scripts.has(name))
    .map((name) => `${path}:${line} package.json has no script ${name}`);
}
