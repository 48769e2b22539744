// Clients use the names of operations as names of functions. A changed name breaks a client that is generated again.
import { operationsOf } from './operations.mjs';

const FILE = 'test/contract/operation-ids.txt';

/** The first words of a name by its method. A POST may begin with any verb. */
const VERBS = {
  GET: ['get', 'list', 'search', 'stream', 'download'],
  PUT: ['replace', 'upload'],
  PATCH: ['update', 'rotate'],
  DELETE: ['delete', 'abort', 'revoke'],
};

/**
 * @param {string} kept the text of test/contract/operation-ids.txt
 * @param {(operationId: string) => string} fileOf the source file that names an operation
 * @returns {string[]} a sentence for each fault, which begins with the file to edit
 */
export function faultsOfOperationIds(document, kept, fileOf) {
  const operations = operationsOf(document);
  const ids = operations.map(({ operation }) => operation.operationId);
  return [
    ...faultsOfKeptLines(
      operations.map(({ method, path, operation }) => `${method} ${path} ${operation.operationId}`),
      kept.split('\n').filter((line) => line !== ''),
    ),
    ...ids
      .filter((id, index) => ids.indexOf(id) !== index)
      .map((id) => `${fileOf(id)}: two operations have the operationId \`${id}\`. Give one of them another name.`),
    ...operations.flatMap(({ method, operation: { operationId } }) => faultsOfName(method, operationId, fileOf)),
  ];
}

function faultsOfKeptLines(wanted, kept) {
  const missing = wanted.filter((line) => !kept.includes(line));
  const gone = kept.filter((line) => !wanted.includes(line));
  const faults = [
    ...missing.map((line) => `${FILE}: add the line \`${line}\` ${placeOf(line, wanted)}.`),
    ...gone.map((line) => `${FILE}: the document has no longer \`${line}\`. Remove the line if clients may break.`),
  ];
  if (faults.length === 0 && kept.join('\n') !== wanted.join('\n')) {
    faults.push(`${FILE}: put the lines into the order of docs/api/openapi.json, each once.`);
  }
  return faults;
}

function placeOf(line, wanted) {
  const before = wanted[wanted.indexOf(line) - 1];
  return before === undefined ? 'at the beginning' : `after \`${before}\``;
}

function faultsOfName(method, operationId, fileOf) {
  if (!/^[a-z]+[A-Z][a-zA-Z]+$/.test(operationId)) {
    return [
      `${fileOf(operationId)}: the operationId \`${operationId}\` must be a verb and a noun, such as \`listProjects\`.`,
    ];
  }
  const [verb] = /^[a-z]+/.exec(operationId);
  if (VERBS[method] === undefined || VERBS[method].includes(verb)) return [];
  const verbs = VERBS[method].join(', ');
  return [
    `${fileOf(operationId)}: the operationId \`${operationId}\` of a ${method} must begin with one of: ${verbs}.`,
  ];
}
