// The examples of requests and answers in the document for clients. They are recorded (see CONTRIBUTING.md) and kept in
// docs/api/examples, in one file for each tag.
import { operationsOf, resolved, statusOfExample } from './operations.mjs';
import { validatorsOf } from './validators.mjs';

const JSON_TYPE = 'application/json';
/** Every recording has the same identifiers: numbers in the first Monday of March 2026. */
const FAKE_ID = /^019cadc6-9a80-7[0-9a-f]{3}-8000-\d{12}$/;
const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const SECRETS = /127\.0\.0\.1|localhost|\/tmp\/|oes_[0-9A-Za-z]{8}_|eyJ[\w-]{10,}\.|whsec_/g;
/** A longer example appears in the document only once. */
const MAX_REPEATED_LENGTH = 150;

/**
 * @param document the public document, which has no examples
 * @param forClients the document for clients, which has the examples
 * @returns {string[]} a sentence for each fault, which begins with the file to edit
 */
export function faultsOfExamples(document, forClients) {
  const validators = validatorsOf(document);
  const documented = new Map(operationsOf(document).map((one) => [one.operation.operationId, one.operation]));
  const operations = operationsOf(forClients).map(({ operation }) => ({
    name: `\`${operation.operationId}\``,
    file: `docs/api/examples/${operation.tags[0]}.json`,
    operation,
    schemas: documented.get(operation.operationId),
    inputs: operation.parameters.filter(({ in: place }) => place === 'path' || place === 'query'),
    sent: exampleIn(forClients, operation.requestBody?.content),
    answered: exampleIn(forClients, successOf(operation).content),
  }));
  return [
    ...operations.flatMap(missingExamples),
    ...operations.flatMap((one) => faultsOfSchemas(one, validators)),
    ...operations.flatMap(faultsOfContent),
    ...faultsOfRepetition(operations),
  ];
}

function successOf({ operationId, responses }) {
  const status = statusOfExample(responses);
  if (status === undefined) throw new Error(`docs/api/openapi.json: ${operationId} has no answer of success.`);
  return { status, ...responses[status] };
}

/** The example of a body, its own or a shared one. */
function exampleIn(document, content = {}) {
  return Object.entries(content)
    .map(([type, { example, examples }]) => ({ type, value: example ?? sharedExample(document, examples) }))
    .find(({ value }) => value !== undefined);
}

function sharedExample(document, examples) {
  return examples?.recorded === undefined ? undefined : resolved(document, examples.recorded).value;
}

function missingExamples({ name, file, operation, inputs, sent, answered }) {
  const parts = [
    ...(operation.requestBody?.required === true && sent === undefined ? ['the request'] : []),
    ...(successOf(operation).content !== undefined && answered === undefined ? ['the answer'] : []),
    ...inputs
      .filter(({ required, example }) => required === true && example === undefined)
      .map((parameter) => `the parameter \`${parameter.name}\``),
  ];
  return parts.map((part) => `${file}: ${name} has no example of ${part}. CONTRIBUTING.md says how to record one.`);
}

function faultsOfSchemas({ name, file, operation, schemas, inputs, sent, answered }, validators) {
  const { status } = successOf(operation);
  const sentSchema = schemas.requestBody?.content[sent?.type]?.schema;
  const answerSchema =
    answered?.type === JSON_TYPE ? schemas.responses[status]?.content?.[JSON_TYPE]?.schema : undefined;
  const faults = [
    ...inputs
      .filter(({ example }) => example !== undefined)
      .flatMap((one) => faultsOf(`parameter \`${one.name}\``, one.example, validators.ofRequest(one.schema))),
    ...(sentSchema !== undefined && typeof sent.value === 'object'
      ? faultsOf('request', sent.value, validators.ofRequest(sentSchema))
      : []),
    ...(answerSchema === undefined ? [] : faultsOf('answer', answered.value, validators.ofAnswer(answerSchema))),
  ];
  return faults.map((fault) => `${file}: the example of ${name} does not fit its schema: ${fault}.`);
}

function faultsOf(part, value, validate) {
  if (validate(structuredClone(value))) return [];
  return validate.errors.map(({ instancePath, message, params }) => {
    const member = params.unevaluatedProperty ?? params.additionalProperty;
    return `${part}${instancePath === '' ? '' : ` ${instancePath}`} ${message}${member === undefined ? '' : ` (\`${member}\`)`}`;
  });
}

/** A recording must not show a secret, an address of a machine or an identifier of its own run. */
function faultsOfContent({ name, file, inputs, sent, answered }) {
  const text = JSON.stringify([inputs.map(({ example }) => example), sent, answered]);
  const found = [
    ...[...text.matchAll(SECRETS)].map(([secret]) => secret),
    ...[...text.matchAll(IDS)].map(([id]) => id).filter((id) => !FAKE_ID.test(id)),
  ];
  return found.map(
    (piece) => `${file}: the example of ${name} holds \`${piece}\`. Record it again with scripts/choose-examples.mjs.`,
  );
}

/** `src/openapi/share-examples.ts` puts an example that several operations have into the shared part of the document. */
function faultsOfRepetition(operations) {
  const own = operations.flatMap(({ name, operation }) =>
    [operation.requestBody?.content, successOf(operation).content]
      .flatMap((content) => Object.values(content ?? {}))
      .map(({ example }) => ({ name, text: JSON.stringify(example) }))
      .filter(({ text }) => text !== undefined && text.length >= MAX_REPEATED_LENGTH),
  );
  return own
    .filter(({ text }, index) => own.findIndex((one) => one.text === text) !== index)
    .map(({ name }) => `src/openapi/share-examples.ts: the example of ${name} stands in the document more than once.`);
}
