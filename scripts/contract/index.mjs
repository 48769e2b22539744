// The checks of the API document in addition to its lint. "npm run check" and test/contract use the same functions.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export { faultsOfExamples } from './examples.mjs';
export { faultsOfFreeForm } from './free-form.mjs';
export { faultsOfGenerators } from './generators.mjs';
export { faultsOfOperationIds } from './operation-ids.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @returns {string} the file of the controller that names an operation */
export function controllerOf(operationId) {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true }).filter((name) => name.endsWith('.controller.ts'));
  const found = files.find((name) => readFileSync(join(ROOT, 'src', name), 'utf8').includes(`'${operationId}'`));
  return found === undefined ? 'src' : `src/${found.replaceAll('\\', '/')}`;
}
