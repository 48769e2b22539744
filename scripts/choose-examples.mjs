// node scripts/choose-examples.mjs <folder> [operation ids]: makes docs/api/examples from the recording that
// RECORD_EXAMPLES=<folder> npm test wrote. Without ids it does so for all operations. All other operations, and those
// without an exchange in the folder, keep their example.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bestExchange, readExchanges } from './examples/exchanges.mjs';
import { Scrubber } from './examples/scrub.mjs';
import { ensureTools, importTool } from './tools.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'docs', 'api', 'examples');
const document = JSON.parse(readFileSync(join(root, 'docs', 'api', 'openapi.json'), 'utf8'));

const LINES = 'application/x-ndjson';
const MOST_LINES = 2;

const [folder, ...named] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Usage: node scripts/choose-examples.mjs <folder of a recording>');
  process.exit(2);
}
await ensureTools();
const prettier = await importTool('prettier');
process.exitCode = await main();

async function main() {
  const exchanges = readExchanges(folder);
  const kept = keptExamples();
  const byTag = new Map(document.tags.map(({ name }) => [name, {}]));
  const missing = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const { operationId } = operation;
      const isWanted = named.length === 0 || named.includes(operationId);
      const best = bestExchange(
        exchanges.filter((exchange) => isWanted && exchange.operationId === operationId),
        resolved(operation),
      );
      const example = best === null ? kept[operationId] : exampleOf(best, path, method, parametersOf(operation));
      if (example === undefined) missing.push(operationId);
      else byTag.get(operation.tags[0])[operationId] = example;
    }
  }
  for (const [tag, examples] of byTag) {
    if (Object.keys(examples).length > 0) await write(`${tag}.json`, JSON.stringify(examples));
  }
  if (missing.length > 0) console.error(`The recording has no example of ${missing.join(', ')}`);
  return missing.length > 0 ? 1 : 0;
}

function keptExamples() {
  const texts = readdirSync(target).map((name) => readFileSync(join(target, name), 'utf8'));
  return Object.assign({}, ...texts.map((text) => JSON.parse(text)));
}

/** Returns the operation with shared responses in place of references. */
function resolved(operation) {
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    status,
    response.$ref === undefined ? response : document.components.responses[response.$ref.split('/').at(-1)],
  ]);
  return { ...operation, responses: Object.fromEntries(responses) };
}

/** @param declared the parameters of path and query that the document declares for the operation */
function exampleOf({ url, request, answer }, path, method, declared) {
  const scrubber = new Scrubber(recordedAt(url, answer ?? request), roleOfId(path, method));
  const scrub = ({ type, value }) => ({ type, value: scrubber.value(type === LINES ? firstLines(value) : value) });
  const given = Object.entries(givenIn(url, path, declared));
  const parameters = Object.fromEntries(given.map(([name, value]) => [name, scrubber.value(value, name)]));
  return {
    ...(given.length > 0 && { parameters }),
    ...(request !== undefined && { request: scrub(request) }),
    ...(answer !== undefined && { answer: scrub(answer) }),
  };
}

function parametersOf({ parameters = [] }) {
  return parameters
    .map((one) => (one.$ref === undefined ? one : document.components.parameters[one.$ref.split('/').at(-1)]))
    .filter(({ in: place }) => place === 'path' || place === 'query');
}

/**
 * Returns the parameters by name, in the order of the document and with the types of their schemas. Empty parameters
 * are left out.
 */
function givenIn(url, path, declared) {
  const [place, query] = url.split('?', 2);
  const search = new URLSearchParams(query);
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const parts = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}/?$`).exec(place) ?? [];
  names.forEach((name, index) => search.set(name, decodeURIComponent(parts[index + 1] ?? '')));
  const given = declared.map(({ name, schema }) => [name, valueIn(search.getAll(name), schema)]);
  return Object.fromEntries(given.filter(([, value]) => value !== '' && value !== undefined));
}

function valueIn(texts, { type }) {
  if (texts.length === 0) return undefined;
  if (type === 'array') return texts;
  const [text] = texts;
  if (type === 'integer' || type === 'number') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
}

function firstLines(text) {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, MOST_LINES)
    .map((line) => `${line}\n`)
    .join('');
}

/** Returns the time of the recording. The ids of the service begin with their time. */
function recordedAt(url, body) {
  const times = [...`${url} ${JSON.stringify(body?.value ?? '')}`.matchAll(/\b([0-9a-f]{8})-([0-9a-f]{4})-7/g)];
  const made = times.map(([, high, low]) => Number.parseInt(high + low, 16));
  return made.length > 0 ? Math.max(...made) : Date.now();
}

/**
 * Returns what an `id` in the answer identifies: `project` for `/v1/projects` and for operations on one project. Lists
 * below one item, such as `/v1/projects/{project_id}/activity`, have ids of another kind.
 */
function roleOfId(path, method) {
  const parts = path.split('/').slice(1);
  for (let length = parts.length; length > 0; length -= 1) {
    const last = parts[length - 1];
    const parameter = parameterIn(last);
    if (parameter !== undefined) return parameter;
    const named = Object.keys(document.paths).flatMap(
      (other) => new RegExp(`/${last}/\\{(\\w+)_id\\}`).exec(other)?.[1] ?? [],
    );
    const below = `/${parts.slice(0, length).join('/')}/`;
    const exact = named.find((name) =>
      Object.keys(document.paths).some((other) => other.startsWith(`${below}{${name}_id}`)),
    );
    const found = exact ?? named.find((name) => name === last.replace(/s$/, '')) ?? named[0];
    if (found !== undefined) return found;
    if (method === 'get' && parameterIn(parts[length - 2] ?? '') !== undefined) return last;
  }
  return parts.at(-1);
}

function parameterIn(part) {
  return /^\{(\w+?)(?:_id)?\}$/.exec(part)?.[1];
}

async function write(name, text) {
  const options = await prettier.resolveConfig(join(target, name));
  writeFileSync(join(target, name), await prettier.format(text, { ...options, parser: 'json' }));
}
