// Checks that the targets of references exist: files, headings, scripts, and names of the code.
import { posix } from 'node:path';
import { anchorsOf } from './markdown.mjs';

const FOLDERS = /^(src|test|migrations|scripts|bench|docker|deploy|docs)\/[\w./-]+$/;
const SCRIPT = /\bnpm run ([\w:-]+)/g;
/**
 * `PascalCase` and `camelCase` of at least two words, and names of environment variables. Such words can only be names
 * of the code.
 */
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

/** Reports documents that no chain of links from `start` reaches, because no reader finds them. */
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

/**
 * Returns the path of the target of a link. For an address outside of the repository the result is not a path of ours.
 */
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
  // Takes the first name of `Database.transaction(…)`, `new Database()` and `@Requires({…})`.
  const [, name] = IDENTIFIER.exec(text.replace(/^new /, '')) ?? [];
  return name === undefined || project.knowsName(name) ? [] : [`${path}:${line} the code knows no ${name}`];
}

function faultOfScripts({ path }, { line, text }, { scripts }) {
  return [...text.matchAll(SCRIPT)]
    .map(([, name]) => name)
    .filter((name) => !scripts.has(name))
    .map((name) => `${path}:${line} package.json has no script ${name}`);
}
