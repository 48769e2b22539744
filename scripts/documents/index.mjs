// Checks the documents of this repository. These checks only read; they run and write nothing.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { faultsOfCode } from './code.mjs';
import { layOver } from './examples.mjs';
import { parseDocument } from './markdown.mjs';
import { faultsOfReferences, orphansOf } from './references.mjs';

export { anchorsOf, parseDocument } from './markdown.mjs';
export { applyHunks, layOver } from './examples.mjs';
export { faultsOfCode } from './code.mjs';
export { faultsOfReferences, orphansOf } from './references.mjs';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The README has one or two screens. Longer texts belong in a document of their own. */
const MOST_OF_README = 8 * 1024;
const FOLDERS = ['.', 'docs', 'bench'];
/** This document describes the past, so the code may not have its names. */
const NOT_OF_TODAY = new Set(['CHANGELOG.md']);
/** The names of the code are read from these folders. */
const SOURCES = ['src', 'test', 'migrations', 'scripts', 'bench', 'docker', 'deploy'];
/** Names of libraries and platforms that our code does not contain. */
const NAMES_OF_OTHERS = [
  'NODE_EXTRA_CA_CERTS',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'PGSSLROOTCERT',
  'forwardRef',
  'sessionStorage',
  'useHttps',
];

/** Runs the checks that need no compiler. @returns the documents, their faults, and the files of the examples */
export function checkDocuments() {
  const documents = pathsOf('.md', FOLDERS).map((path) => parseDocument(path, read(path) ?? ''));
  const examples = layOver(documents, read);
  const project = projectWith(examples.files);
  const today = documents.filter(({ path }) => !NOT_OF_TODAY.has(path));
  const faults = [
    ...faultsOfReferences(today, project),
    ...faultsOfReferences(
      documents
        .filter(({ path }) => NOT_OF_TODAY.has(path))
        .map((document) => ({ ...document, names: [], blocks: [] })),
      project,
    ),
    ...orphansOf(documents, 'README.md'),
    ...documents.flatMap(faultsOfCode),
    ...examples.faults,
  ];
  const size = Buffer.byteLength(read('README.md') ?? '');
  if (size > MOST_OF_README) faults.push(`README.md has ${size} bytes, more than ${MOST_OF_README}`);
  return { documents, faults, files: examples.files };
}

function read(path) {
  const file = join(ROOT, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function projectWith(files) {
  const words = new Set(NAMES_OF_OTHERS);
  const sources = pathsOf('', SOURCES).filter((path) => !path.startsWith('scripts/documents/'));
  const texts = [...sources.map((path) => read(path) ?? ''), ...files.values()];
  for (const text of texts) for (const [word] of text.matchAll(/[A-Za-z_]\w*/g)) words.add(word);
  const { scripts } = JSON.parse(read('package.json') ?? '{}');
  return {
    exists: (path) => files.has(path) || existsSync(join(ROOT, path)),
    scripts: new Set(Object.keys(scripts)),
    // The configuration also reads the names of secrets with this ending.
    knowsName: (name) => words.has(name) || words.has(name.replace(/_FILE$/, '')),
  };
}

/** Returns the files in the root itself, and all files below each other folder. */
function pathsOf(end, folders) {
  return folders
    .flatMap((folder) => {
      const entries = readdirSync(join(ROOT, folder), { recursive: folder !== '.', withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile() && entry.name.endsWith(end) && !entry.parentPath.includes('node_modules'))
        .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length).replaceAll('\\', '/'));
    })
    .sort();
}
