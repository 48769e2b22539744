// npm run check: links, names, code and worked examples of the documents.
import { checkDocuments, ROOT } from './documents/index.mjs';

const { faults, files } = checkDocuments();
if (files.size > 0) {
  const { faultsOfCompiling } = await import('./documents/compiled.mjs');
  faults.push(...faultsOfCompiling(ROOT, files));
}
for (const fault of faults) console.log(fault);
if (faults.length === 0) console.log('The documents hold.');
process.exitCode = faults.length === 0 ? 0 : 1;
