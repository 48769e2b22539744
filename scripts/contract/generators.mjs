// What generators of clients in other languages do not accept, though a validator of OpenAPI 3.0 does. Each rule names
// the generators that need it.
import { operationsOf } from './operations.mjs';

const MAX_NAME_LENGTH = 50;

/**
 * @param {object} document the document for clients in OpenAPI 3.0
 * @returns {string[]} a sentence for each fault
 */
export function faultsOfGenerators(document) {
  return [...faultsOfSchemas(document), ...faultsOfNames(document), ...faultsOfOperations(document)];
}

/** openapi-generator ignores siblings of references; openapi-generator-plus and autorest need a type in each schema. */
function faultsOfSchemas({ paths, components }) {
  const faults = [];
  visit({ paths, components }, '', (part, place) => {
    const fault = (sentence) => faults.push(`${place}: ${sentence}`);
    if (typeof part.$ref === 'string' && Object.keys(part).length > 1) fault('a reference has siblings.');
    if (Array.isArray(part.type) || part.type === 'null') fault('a schema has several types, or the type null.');
    if (part.nullable === true && typeof part.type !== 'string') fault('`nullable` has no type beside it.');
    if (part.type === 'array' && part.items === undefined) fault('an array has no items.');
    if (part.example !== undefined && part.schema !== undefined && Object.keys(part.schema).every(isOfAnyType))
      fault('an example has a schema without a type.');
    if (part.discriminator !== undefined) faults.push(...faultsOfDiscriminator(part, place, components.schemas));
  });
  return faults;
}

/** openapi-generator-plus cannot write an example without a type. */
function isOfAnyType(key) {
  return key === 'description';
}

/** oapi-codegen and openapi-generator-plus read the member that distinguishes the alternatives, which must be required. */
function faultsOfDiscriminator({ discriminator: { propertyName, mapping = {} } }, place, schemas) {
  return Object.values(mapping)
    .filter((reference) => !membersOf(schemas[nameIn(reference)], schemas).includes(propertyName))
    .map((reference) => `${place}: ${nameIn(reference)} does not require \`${propertyName}\`.`);
}

function membersOf({ required = [], allOf = [] } = {}, schemas) {
  return [
    ...required,
    ...allOf.flatMap(({ $ref }) => ($ref === undefined ? [] : membersOf(schemas[nameIn($ref)], schemas))),
  ];
}

/**
 * oapi-codegen writes the schemas, responses and parameters of a document as types of one package, together with one
 * type `<operation>Response` for each operation, and does not distinguish case.
 */
function faultsOfNames(document) {
  const taken = new Map(
    operationsOf(document).map(({ operation: { operationId } }) => [
      `${operationId}Response`.toLowerCase(),
      `the response of ${operationId}`,
    ]),
  );
  const faults = [];
  for (const kind of ['schemas', 'responses', 'parameters']) {
    for (const name of Object.keys(document.components[kind] ?? {})) {
      const place = `${kind}/${name}`;
      const known = taken.get(name.toLowerCase());
      if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) faults.push(`${place}: the name is not an identifier in Pascal case.`);
      if (name.length > MAX_NAME_LENGTH)
        faults.push(`${place}: the name is longer than ${MAX_NAME_LENGTH} characters.`);
      if (known !== undefined) faults.push(`${place}: ${known} has the same name.`);
      taken.set(name.toLowerCase(), place);
    }
  }
  return faults;
}

/** openapi-generator and autorest make one list of arguments of all parameters. A body is either bytes or a form. */
function faultsOfOperations(document) {
  return operationsOf(document).flatMap(({ operation: { operationId, parameters, requestBody } }) => {
    const names = parameters.map(({ name }) => name.toLowerCase().replace(/[^a-z0-9]/g, ''));
    const media = Object.keys(requestBody?.content ?? {});
    const isBoth = media.includes('application/octet-stream') && media.includes('multipart/form-data');
    return [
      ...(new Set(names).size < names.length ? [`${operationId}: two parameters have the same name.`] : []),
      ...(isBoth ? [`${operationId}: the body is bytes or a form.`] : []),
    ];
  });
}

/** Calls `see` with every object that is not data of an example. */
function visit(part, place, see) {
  if (part === null || typeof part !== 'object') return;
  if (!Array.isArray(part) && !place.endsWith('/properties')) see(part, place);
  for (const [key, value] of Object.entries(part)) {
    if (place.endsWith('/properties') || (key !== 'example' && key !== 'examples'))
      visit(value, `${place}/${key}`, see);
  }
}

function nameIn(reference) {
  return reference.replace(/.*\//, '');
}
