// npm run check -- contract: checks the operation ids, free-form members and examples of the API document, without a
// database.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { clientDocument } from '../dist/src/openapi/client-document.js';
import { controllerOf, faultsOfExamples, faultsOfFreeForm, faultsOfOperationIds } from './contract/index.mjs';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const document = JSON.parse(read('docs/api/openapi.json'));
const limits = JSON.parse(read('docs/api/limits.json'));

const faults = [
  ...faultsOfOperationIds(document, read('test/contract/operation-ids.txt'), controllerOf),
  ...faultsOfFreeForm(document),
  ...faultsOfExamples(document, clientDocument(document, limits)),
];
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
