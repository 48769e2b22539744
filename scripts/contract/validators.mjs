// Compiles the schemas of the API document: what a client may send, and what the service may answer.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A schema under one of these names describes a part of the members only. */
const PARTIAL = new Set(['allOf', 'if', 'then', 'else']);
const BASES = 'bases';

/** The validators of each document. Compiling all of them takes seconds. */
const KNOWN = new WeakMap();

export function validatorsOf(document) {
  const validators = KNOWN.get(document) ?? new Validators(document);
  KNOWN.set(document, validators);
  return validators;
}

/** Compiles and caches the validators of a document, each by the text of its schema. */
class Validators {
  #document;
  #compiled = new Map();
  #forAnswers;
  #forRequests;

  constructor(document) {
    this.#document = document;
  }

  /** An answer has the members of its schema and no other ones. */
  ofAnswer(schema) {
    return this.#once(`answer ${JSON.stringify(schema)}`, () => {
      this.#forAnswers ??= ajvWith(closed({ $id: 'document', components: this.#document.components })).addSchema(
        basesOf(this.#document),
      );
      return this.#forAnswers.compile(closed(inDocument(schema)));
    });
  }

  /** A request may have further members, and numbers as text. */
  ofRequest(schema) {
    return this.#once(`request ${JSON.stringify(schema)}`, () => {
      this.#forRequests ??= ajvWith({ $id: 'document', components: this.#document.components }, { coerceTypes: true });
      return this.#forRequests.compile(inDocument(schema));
    });
  }

  #once(text, compile) {
    if (!this.#compiled.has(text)) this.#compiled.set(text, compile());
    return this.#compiled.get(text);
  }
}

function ajvWith(schemas, options = {}) {
  // Another check validates the document itself.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    meta: false,
    validateSchema: false,
    // Each schema checks few examples, so that the optimization of its code costs more than it saves.
    code: { optimize: false },
    ...options,
  });
  addFormats.default(ajv);
  return ajv.addSchema(schemas);
}

function inDocument(schema) {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
}

/** The schemas that other schemas extend: their members are closed, and they are open, since their heirs have further members. */
function basesOf({ components }) {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => [name, closed(inDocument(schema), true)]);
  return { $id: BASES, components: { schemas: Object.fromEntries(schemas) } };
}

/** Forbids further members in every object whose schema does not mention them. */
function closed(schema, isPartial = false) {
  if (Array.isArray(schema)) return schema.map((each) => closed(each, isPartial));
  if (schema === null || typeof schema !== 'object') return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value, PARTIAL.has(key))]));
  // What an object extends is closed together with the object.
  if (isPartial && typeof copy.$ref === 'string') copy.$ref = copy.$ref.replace(/^(document)?(?=#)/, BASES);
  const isObject = 'properties' in copy || 'allOf' in copy;
  if (isObject && !isPartial && typeof copy.properties !== 'string' && copy.additionalProperties === undefined) {
    copy.unevaluatedProperties = false;
  }
  return copy;
}
