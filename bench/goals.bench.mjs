// Prints the goals of five benches in one table. It takes about 40 minutes on a quiet machine.
import { print } from './goal-table.mjs';
import { measure as ingest } from './ingest.bench.mjs';
import { facts } from './machine.mjs';
import { measure as modes } from './modes.bench.mjs';
import { measure as reads } from './reads.bench.mjs';
import { measure as soak } from './soak.bench.mjs';
import { measure as twoProcesses } from './two-processes.bench.mjs';

/** This bench repeats the measurements of others, so it runs only when it is named. */
export const onlyByName = true;

export async function run() {
  const rows = [];
  for (const measure of [ingest, modes, reads, soak, twoProcesses]) rows.push(...(await measure()).rows);
  console.log(`\n${facts()}`);
  print('Goals', rows);
  if (rows.some(({ met }) => met === 'NO')) process.exitCode = 1;
}
