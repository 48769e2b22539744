// Makes clients/typescript/src/generated from docs/api/openapi.json and limits.json. operations.ts is the table of
// routes and needs no package. With --types this script also makes schema.ts, the types of every operation, with
// openapi-typescript of tools/. With --if-needed it leaves a file alone that was made from the same content.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'clients', 'typescript', 'src', 'generated');
const INPUTS = [
  'docs/api/openapi.json',
  'docs/api/limits.json',
  'src/openapi/client-document.ts',
  'scripts/client.mjs',
];
const DERIVE = 'dist/src/openapi/client-document.js';
const JSON_TYPE = 'application/json';

/** Each file has the digest of its own inputs in its first line. */
const FILES = [
  { name: 'operations.ts', inputs: INPUTS, make: table },
  ...(process.argv.includes('--types')
    ? [{ name: 'schema.ts', inputs: [...INPUTS, 'tools/client-types.mjs', 'tools/package-lock.json'], make: types }]
    : []),
];

/** The first line of a generated file. It holds a digest of what the file is made from, since a clone changes all dates. */
function headOf({ inputs }) {
  const hash = createHash('sha256');
  for (const path of inputs) hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  return `// Made by scripts/client.mjs from docs/api/openapi.json; digest of the inputs: ${hash.digest('hex')}\n`;
}

function isUpToDate(file) {
  const path = join(target, file.name);
  return existsSync(path) && readFileSync(path, 'utf8').startsWith(headOf(file));
}

async function make(files) {
  const build = spawnSync(process.execPath, ['scripts/build.mjs', '--if-needed', '--service'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (build.status !== 0) process.exit(1);
  const { clientDocument } = await import(join(root, DERIVE));
  const [plain, limits] = ['openapi.json', 'limits.json'].map((name) =>
    JSON.parse(readFileSync(join(root, 'docs/api', name), 'utf8')),
  );
  mkdirSync(target, { recursive: true });
  for (const file of files) {
    const text = await file.make(clientDocument(plain, limits));
    writeFileSync(join(target, file.name), `${headOf(file)}${text}`);
  }
}

/**
 * Loads openapi-typescript and its packages only when types are made, because the build of the service has none of
 * them.
 */
async function types(document) {
  const { ensureTools } = await import('./tools.mjs');
  await ensureTools();
  const { clientTypes } = await import('../tools/client-types.mjs');
  return clientTypes(document);
}

function table(document) {
  const operations = operationsOf(document);
  const routes = operations.map(
    (operation) => `  ${operation.operationId}: '${route(operation, document.components)}',`,
  );
  const calls = operations.map((operation) => {
    const { operationId, summary = '', description = '' } = operation;
    const words = [`${summary}.`, description, refusals(operation, document)].filter(
      (text) => text !== '.' && text !== '',
    );
    return `${comment(words.join('\n\n'))}  readonly ${operationId}: Calls['${operationId}'];`;
  });
  return `/** Who may call, the method, the path, and the media type of a body that is no JSON. */
export const OPERATIONS = {
${routes.join('\n')}
} as const;

/** Every operation of the service. */
export interface Operations<Calls extends Record<keyof typeof OPERATIONS, unknown>> {
${calls.join('\n')}
}
`;
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => Object.assign(operation, { method: method.toUpperCase(), path })),
  );
}

function route({ security = [], method, path, requestBody }, components) {
  const { content = {} } = resolved(requestBody ?? {}, components.requestBodies);
  const media = Object.keys(content).find((type) => type !== JSON_TYPE);
  return [access(security.flatMap(Object.keys)), method, path, ...(media === undefined ? [] : [media])].join(' ');
}

/** Follows a reference to a shared part of the same kind. */
function resolved(part, shared) {
  return '$ref' in part ? shared[part.$ref.replace(/.*\//, '')] : part;
}

function access(schemes) {
  if (schemes.includes('bearer')) return schemes.includes('apiKey') ? 'either' : 'bearer';
  if (schemes.includes('apiKey')) return 'key';
  return schemes.includes('internalToken') ? 'internal' : 'public';
}

function refusals({ responses }, { components }) {
  const lines = Object.entries(responses).flatMap(([status, response]) => {
    if (status < '400') return [];
    return [`- ${status}: ${sentences(resolved(response, components.responses), components).join('; ')}`];
  });
  return `Refused with\n${lines.join('\n')}`;
}

/** The sentences that a refusal may hold. Where the document does not list them, its description stands for them. */
function sentences({ description, content = {} }, components) {
  const { properties = {} } = resolved(content[JSON_TYPE]?.schema ?? {}, components.schemas);
  const { enum: listed, const: only } = resolved(properties.detail ?? {}, components.schemas);
  return listed ?? (only === undefined ? [description] : [only]);
}

function comment(text) {
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  return `  /**\n${lines.map((line) => `   * ${line}`.trimEnd()).join('\n')}\n   */\n`;
}

const wanted = FILES.filter((file) => !process.argv.includes('--if-needed') || !isUpToDate(file));
try {
  if (wanted.length > 0) await make(wanted);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
