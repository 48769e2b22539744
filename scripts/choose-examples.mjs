// node scripts/choose-examples.mjs <folder> [operation ids]: makes src/openapi/examples from what
// RECORD_EXAMPLES=<folder> npm test wrote there, of all operations or of those that are named. Others, and those of which the
// folder has no exchange, keep the example that they have.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import { bestExchange, readExchanges } from './examples/exchanges.mjs';
import { Scrubber } from './examples/scrub.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'src', 'openapi', 'examples');
const document = JSON.parse(readFileSync(join(root, 'docs', 'api', 'openapi.json'), 'utf8'));

const [folder, ...named] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Usage: node scripts/choose-examples.mjs <folder of a recording>');
  process.exit(2);
}
process.exitCode = await main();

async function main() {
  const exchanges = readExchanges(folder);
  const kept = await keptExamples();
  const byTag = new Map(document.tags.map(({ name }) => [name, {}]));
  const missing = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const operation of Object.values(item)) {
      const { operationId } = operation;
      const isWanted = named.length === 0 || named.includes(operationId);
      const best = bestExchange(
        exchanges.filter((exchange) => isWanted && exchange.operationId === operationId),
        resolved(operation),
      );
      const example = best === null ? kept[operationId] : exampleOf(best, path);
      if (example === undefined) missing.push(operationId);
      else byTag.get(operation.tags[0])[operationId] = example;
    }
  }
  mkdirSync(target, { recursive: true });
  const tags = [...byTag].filter(([, examples]) => Object.keys(examples).length > 0);
  for (const [tag, examples] of tags) await write(`${tag}.ts`, moduleOf(examples));
  await write('index.ts', indexOf(tags.map(([tag]) => tag)));
  if (missing.length > 0) console.error(`The recording has no example of ${missing.join(', ')}`);
  return missing.length > 0 ? 1 : 0;
}

async function keptExamples() {
  try {
    const built = new URL('../dist/src/openapi/examples/index.js', import.meta.url);
    return (await import(built)).EXAMPLES;
  } catch {
    return {};
  }
}

/** With the shared parts in their places. */
function resolved(operation) {
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    status,
    response.$ref === undefined ? response : document.components.responses[response.$ref.split('/').at(-1)],
  ]);
  return { ...operation, responses: Object.fromEntries(responses) };
}

function exampleOf({ request, answer }, path) {
  const scrubber = new Scrubber(recordedAt(answer ?? request), roleOfId(path));
  const scrub = ({ type, value }) => ({ type, value: scrubber.value(value) });
  return {
    ...(request !== undefined && { request: scrub(request) }),
    ...(answer !== undefined && { answer: scrub(answer) }),
  };
}

/** The day of the recording: ids of the service begin with their time. */
function recordedAt(body) {
  const times = [...JSON.stringify(body?.value ?? '').matchAll(/\b([0-9a-f]{8})-([0-9a-f]{4})-7/g)];
  const made = times.map(([, high, low]) => Number.parseInt(high + low, 16));
  return made.length > 0 ? Math.max(...made) : Date.now();
}

/** What the last word of a path is the list of: `project` of `/v1/projects`. */
function roleOfId(path) {
  const parameters = [...path.matchAll(/\/([\w-]+)\/\{(\w+)_id\}/g)];
  const last = path
    .split('/')
    .filter((part) => !part.startsWith('{'))
    .at(-1);
  const collection = parameters.at(-1);
  const named = Object.keys(document.paths)
    .map((other) => new RegExp(`/${last}/\\{(\\w+)_id\\}`).exec(other)?.[1])
    .find((name) => name !== undefined);
  return named ?? collection?.[2] ?? last;
}

function moduleOf(examples) {
  return `import type { Examples } from './example.js';

/** Recorded: made by \`scripts/choose-examples.mjs\`. */
export const EXAMPLES: Examples = ${JSON.stringify(examples)};
`;
}

function indexOf(tags) {
  const name = (tag) => tag.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
  const imports = tags.map((tag) => `import { EXAMPLES as ${name(tag)} } from './${tag}.js';`);
  const type = `import type { Examples } from './example.js';`;
  return `${[...imports, type].sort((a, b) => (a.split("'")[1] < b.split("'")[1] ? -1 : 1)).join('\n')}

/** One of each operation, by its name. Recorded: made by \`scripts/choose-examples.mjs\`. */
export const EXAMPLES: Examples = { ${tags.map((tag) => `...${name(tag)}`).join(', ')} };
`;
}

async function write(name, text) {
  const options = await prettier.resolveConfig(join(target, name));
  writeFileSync(join(target, name), await prettier.format(text, { ...options, parser: 'typescript' }));
}
