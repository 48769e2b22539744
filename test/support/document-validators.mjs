// Validators for the parts of the OpenAPI document. test-environment.cjs gives them to every spec file of a worker,
// because loading the validator and compiling the schemas takes up to a second of processor time.
import { readFileSync, statSync } from 'node:fs';
import { validatorsOf } from '../../scripts/contract/validators.mjs';

const FILES = ['openapi.json', 'other-paths.json'].map((name) => new URL(`../../docs/api/${name}`, import.meta.url));

let latest;

/** Returns the validators of the public document together with the other paths. */
export function documentValidators() {
  // A worker that watches files outlives a change of the document.
  const version = FILES.map((file) => statSync(file).mtimeMs).join();
  if (latest?.version !== version) latest = { version, validators: validatorsOf({ components: components() }) };
  return latest.validators;
}

function components() {
  const [document, others] = FILES.map((file) => JSON.parse(readFileSync(file, 'utf8')));
  const added = Object.entries(others.components);
  return {
    ...document.components,
    ...Object.fromEntries(added.map(([kind, parts]) => [kind, { ...document.components[kind], ...parts }])),
  };
}
