// npm run check: checks the links, names, code and worked examples of the documents.
import { faultsOfCompiling, faultsOfSyntax } from './documents/compiled.mjs';
import { checkDocuments, ROOT } from './documents/index.mjs';

const { documents, faults, files } = checkDocuments();
faults.push(...documents.flatMap(faultsOfSyntax), ...faultsOfCompiling(ROOT, files));
for (const fault of faults) console.log(fault);
if (faults.length === 0) console.log('The documents hold.');
process.exitCode = faults.length === 0 ? 0 : 1;
