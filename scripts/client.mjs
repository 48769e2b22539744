// Makes clients/typescript/src/generated from docs/api/openapi.json and limits.json: the types of every operation, by openapi-typescript, and
// the table of their routes. With --if-needed it does nothing while they are newer than what they are made from.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'clients', 'typescript', 'src', 'generated');
const INPUTS = [
  'docs/api/openapi.json',
  'docs/api/limits.json',
  'src/openapi/client-document.ts',
  'scripts/client.mjs',
  'package-lock.json',
];
const DERIVE = 'dist/src/openapi/client-document.js';
/** The last one stands for both. */
const [SCHEMA, OPERATIONS] = ['schema.ts', 'operations.ts'].map((name) => join(target, name));
const MADE = '// Made by scripts/client.mjs from docs/api/openapi.json.\n';
const JSON_TYPE = 'application/json';

function isUpToDate() {
  if (!existsSync(OPERATIONS) || !existsSync(SCHEMA)) return false;
  const made = statSync(OPERATIONS).mtimeMs;
  return INPUTS.every((path) => statSync(join(root, path)).mtimeMs < made);
}

async function make() {
  const build = spawnSync(process.execPath, ['scripts/build.mjs', '--if-needed', '--service'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (build.status !== 0) process.exit(1);
  const { clientDocument } = await import(join(root, DERIVE));
  const [plain, limits] = ['openapi.json', 'limits.json'].map((name) =>
    JSON.parse(readFileSync(join(root, 'docs/api', name), 'utf8')),
  );
  const document = clientDocument(plain, limits);
  mkdirSync(target, { recursive: true });
  writeFileSync(SCHEMA, await types(structuredClone(document)));
  writeFileSync(OPERATIONS, table(document));
}

/**
 * Without `paths`, which the operations say again, without headers, which the client reads by their names, and without
 * examples, which the pages of the service show.
 */
async function types(document) {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  delete document.components.headers;
  delete document.components.examples;
  for (const { responses, requestBody, parameters } of [...operationsOf(document), document.components]) {
    for (const response of Object.values(responses)) {
      delete response.headers;
      leaveOutExamples(Object.values(response.content ?? {}));
    }
    leaveOutExamples(Object.values(requestBody?.content ?? {}));
    leaveOutExamples(Object.values(parameters ?? {}));
  }
  const nodes = await openapiTS(document, { silent: true });
  const kept = nodes.filter(({ name }) => ['components', 'operations'].includes(name?.escapedText));
  return `${MADE}${astToString(kept)}`
    .replaceAll(/^ {16}headers: \{\n {20}\[name: string\]: unknown;\n {16}\};\n/gm, '')
    .replaceAll(' (enum property replaced by openapi-typescript)', '');
}

function leaveOutExamples(parts) {
  for (const part of parts) {
    delete part.example;
    delete part.examples;
  }
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
  return `${MADE}/** Who may call, the method, the path, and the media type of a body that is no JSON. */
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

/** What a reference leads to, of the shared parts of its kind. */
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

/** Those that an answer may hold; where they are not told one by one, what is said of them. */
function sentences({ description, content = {} }, components) {
  const { properties = {} } = resolved(content[JSON_TYPE]?.schema ?? {}, components.schemas);
  const { enum: listed, const: only } = resolved(properties.detail ?? {}, components.schemas);
  return listed ?? (only === undefined ? [description] : [only]);
}

function comment(text) {
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  return `  /**\n${lines.map((line) => `   * ${line}`.trimEnd()).join('\n')}\n   */\n`;
}

if (!process.argv.includes('--if-needed') || !isUpToDate()) await make();
