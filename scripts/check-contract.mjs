// npm run check -- contract: checks the operation ids, free-form members and examples of the API document, without a
// database.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { clientDocument } from '../dist/src/openapi/client-document.js';
import { addOtherPaths } from '../dist/src/openapi/other-paths.js';
import { openApi30 } from '../dist/src/openapi/openapi-3-0/index.js';
import {
  controllerOf,
  faultsOfExamples,
  faultsOfFreeForm,
  faultsOfGenerators,
  faultsOfOperationIds,
} from './contract/index.mjs';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const document = JSON.parse(read('docs/api/openapi.json'));
const limits = JSON.parse(read('docs/api/limits.json'));
const others = JSON.parse(read('docs/api/other-paths.json'));

const complete = structuredClone(document);
addOtherPaths(complete, others);
const forClients = clientDocument(document, limits, others);

const faults = [
  ...faultsOfOperationIds(document, read('test/contract/operation-ids.txt'), controllerOf),
  ...faultsOfFreeForm(document),
  ...faultsOfExamples(complete, forClients),
  ...faultsOfGenerators(openApi30(forClients)),
];
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
