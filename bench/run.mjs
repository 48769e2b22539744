// `npm run bench [-- name]`: runs the benches of this folder one after another, or the named one, and prints their
// tables.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const wanted = process.argv[2];
const scripts = readdirSync(folder).filter((name) => name.endsWith('.bench.mjs'));
const chosen = scripts.filter((name) => wanted === undefined || name === `${wanted}.bench.mjs`);
if (chosen.length === 0) {
  process.stderr.write(
    `There is no such bench. The benches are: ${scripts.map((name) => name.replace('.bench.mjs', '')).join(', ')}\n`,
  );
  process.exit(2);
}
for (const name of chosen) {
  const { run, onlyByName = false } = await import(new URL(name, import.meta.url));
  if (onlyByName && wanted === undefined) continue;
  await run(process.argv.slice(3));
}
