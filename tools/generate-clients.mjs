// node generate-clients.mjs <document> <folder> <address>: generates clients of the API document in the way that users
// of the document do.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import openapiTS, { astToString } from 'openapi-typescript';
import orval from 'orval';

const [document, folder, baseUrl] = process.argv.slice(2);

const types = await openapiTS(JSON.parse(readFileSync(document, 'utf8')));
writeFileSync(join(folder, 'openapi-typescript.ts'), astToString(types));

await createClient({ input: document, output: join(folder, 'hey-api'), logs: { file: false, level: 'warn' } });

const single = { mode: 'single', baseUrl };
await orval.default({
  input: document,
  output: { ...single, client: 'fetch', target: join(folder, 'orval-fetch.ts') },
});
await orval.default({ input: document, output: { ...single, client: 'zod', target: join(folder, 'orval-zod.ts') } });
