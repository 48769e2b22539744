import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { completeDocument, document, limitsOf, type ListedOperation, type Schema } from './document.js';
import { answeredBody, contentType, operationOf, sentBody } from './exchange.js';

/** A 500 is a defect of the service and is not documented. */
const OF_DEFECTS = 500;
/** The sentences of limits are in limits.json and not in the document. */
const OF_LIMITS = 429;

/**
 * Refusals of HTTP itself, of any operation: the message is incomplete, too slow, has too large headers or is not HTTP.
 */
const OF_THE_PROTOCOL: ReadonlySet<string> = new Set(
  ['Bad Request', 'Request Timeout', 'Expectation Failed', 'Request Header Fields Too Large'].map((detail) =>
    JSON.stringify({ detail }),
  ),
);

/**
 * Refusals of a deployment with REQUIRE_MFA or REQUIRE_SSO_DOMAINS. The document describes a deployment without them, and
 * the guide of accounts lists the operations.
 */
const OF_THE_SIGN_IN_POLICY: ReadonlySet<string> = new Set(
  ['Second factor required', "Sign in with your company's provider"].map((detail) => JSON.stringify({ detail })),
);

/** An instance that only does background work has few of the routes. */
const NO_SUCH_ROUTE = '{"detail":"Not Found"}';
const JSON_TYPE = 'application/json';

/** One request and its answer. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** The media type of the answer, without parameters; empty when there is none. */
  readonly type: string;
  /** The text of a JSON answer. */
  readonly answered: string;
  /** The text of a JSON body; empty for any other body. */
  readonly sent: string;
}

/**
 * Compares every JSON answer with the OpenAPI document. Its status must be listed, its body must fit the schema, and it
 * must have no field that the schema does not name. Clients are generated from the document, so a different answer
 * breaks them. The check covers every test.
 */
export class DocumentedAnswers {
  private readonly found = new Set<string>();

  /** Listens to a server of this process and adds to `faults` while the server answers. */
  watch(server: Server): void {
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      if (operationOf(request) === undefined) return;
      const sent = sentBody(request, JSON_TYPE);
      const answered = answeredBody(response, (type) => type === JSON_TYPE);
      const { method = '', url = '' } = request;
      response.once('finish', () => {
        const { statusCode: status } = response;
        this.check({ method, url, status, type: contentType(response), answered: answered(), sent: sent() });
      });
    });
  }

  /** One line for each kind of fault; empty when all answers were as documented. */
  get faults(): readonly string[] {
    return [...this.found];
  }

  check(exchange: Exchange): void {
    const listed = operationOf(exchange);
    if (listed === undefined) return;
    this.checkAnswer(listed, exchange);
    // The other paths accept bodies that are not exactly JSON, such as lines that are declared as JSON.
    if (exchange.status < 300 && listed.path in document.paths) this.checkSent(listed, exchange.sent);
  }

  private checkAnswer({ method, path, operation }: ListedOperation, { status, type, answered }: Exchange): void {
    if (status === OF_DEFECTS || OF_THE_PROTOCOL.has(answered) || answered === NO_SUCH_ROUTE) return;
    if (status === 403 && OF_THE_SIGN_IN_POLICY.has(answered)) return;
    const where = `${method} ${path} ${status}`;
    if (status === OF_LIMITS) {
      if (type !== JSON_TYPE) return;
      // A batch may be answered with its results in addition to the sentence. OTLP calls the sentence `message`.
      const { detail, message = detail } = JSON.parse(answered) as { detail?: string; message?: string };
      if (!limitsOf(operation.operationId).includes(message ?? '')) this.found.add(`${where} says ${answered}`);
      return;
    }
    const documented = operation.responses[status];
    if (documented === undefined) {
      this.found.add(`${where} is not documented: ${answered.slice(0, 200)}`);
      return;
    }
    // Stored objects have the media type that their owner gave them.
    const content = documented.content?.[type] ?? documented.content?.['*/*'];
    if (content === undefined) {
      if (type !== '' || documented.content !== undefined)
        this.found.add(`${where} answers ${type || 'nothing'}, which is not documented`);
      return;
    }
    if (type !== JSON_TYPE || content !== documented.content?.[JSON_TYPE]) return;
    this.hold(where, JSON.parse(answered), answerValidatorOf(where, content.schema));
  }

  /** The document must accept every body that the service accepts. Otherwise clients could not send it. */
  private checkSent({ method, path, operation }: ListedOperation, body: string): void {
    const schema = operation.requestBody?.content[JSON_TYPE]?.schema;
    if (schema === undefined || body === '') return;
    const where = `${method} ${path} sent`;
    const validate = sentValidatorOf(where, schema);
    // In every body except that of PATCH, null for an optional member is the same as leaving the member out. No schema
    // says so, because the types of clients would then allow null for every optional member.
    const isNullLeftOut = method !== 'PATCH' && !validate(JSON.parse(body));
    this.hold(where, JSON.parse(body, isNullLeftOut ? withoutNull : undefined), validate);
  }

  private hold(where: string, value: unknown, validate: ValidateFunction): void {
    if (validate(value)) return;
    for (const { instancePath, message, params } of validate.errors ?? []) {
      const place = instancePath.replaceAll(/\/\d+/g, '/*');
      this.found.add(`${where} ${place} ${message} ${JSON.stringify(params)}`);
    }
  }
}

/** A reviver for JSON.parse that removes the members of objects that are null. */
function withoutNull(this: unknown, _key: string, value: unknown): unknown {
  return value === null && !Array.isArray(this) ? undefined : value;
}

/** The compiled schemas of a document. `answers` and `sent` have the schemas that others refer to. */
interface Compiled {
  readonly text: string;
  readonly validators: Map<string, ValidateFunction>;
  answers?: Ajv2020;
  sent?: Ajv2020;
}

/** All spec files of a worker share the compiled schemas: compiling takes up to a second of each file. */
const COMPILED = Symbol.for('the compiled schemas of the document');

const compiled = compiledSchemas();

function compiledSchemas(): Compiled {
  const documentText = JSON.stringify(completeDocument);
  const worker = globalThis as { [COMPILED]?: Compiled };
  // A worker that watches files outlives a change of the document.
  if (worker[COMPILED]?.text !== documentText) worker[COMPILED] = { text: documentText, validators: new Map() };
  return worker[COMPILED];
}

/** Returns a validator of answers: an answer has the members of its schema and no other members. */
function answerValidatorOf(where: string, schema: Schema): ValidateFunction {
  let validate = compiled.validators.get(where);
  if (validate === undefined) {
    const known = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    compiled.answers ??= documentSchemas();
    validate = compiled.answers.compile(closed(JSON.parse(known)) as object);
    compiled.validators.set(where, validate);
  }
  return validate;
}

/** Returns a validator of requests: a request may have further members, and numbers as text. */
export function sentValidatorOf(where: string, schema: Schema): ValidateFunction {
  let validate = compiled.validators.get(where);
  if (validate === undefined) {
    compiled.sent ??= schemasOf({ $id: 'document', components: completeDocument.components }, { coerceTypes: true });
    validate = compiled.sent.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object);
    compiled.validators.set(where, validate);
  }
  return validate;
}

function documentSchemas(): Ajv2020 {
  return schemasOf(closed({ $id: 'document', components: completeDocument.components }) as object).addSchema(
    basesOfDocument(),
  );
}

/**
 * Returns the schemas that other schemas extend. The objects in their members are closed, but they are open themselves,
 * because their heirs have further members.
 */
function basesOfDocument(): object {
  const schemas = Object.entries(completeDocument.components.schemas).map(([name, schema]) => {
    const known = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
    return [name, closed(known, true)] as const;
  });
  return { $id: BASES, components: { schemas: Object.fromEntries(schemas) } };
}

function schemasOf(schemas: object, options: Options = {}): Ajv2020 {
  // Another test validates the document itself. Here it would be validated again for every file.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    meta: false,
    validateSchema: false,
    // Each schema checks few answers, so that the optimization of its code costs more than it saves.
    code: { optimize: false },
    ...options,
  });
  addFormats.default(ajv);
  return ajv.addSchema(schemas);
}

/** A schema under one of these names describes only a part of the members. */
const PARTS: ReadonlySet<string> = new Set(['allOf', 'if', 'then', 'else']);
const BASES = 'bases';

/** Returns a copy of a schema in which objects without a rule for further members forbid them. */
function closed(schema: unknown, part = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => closed(each, part));
  if (schema === null || typeof schema !== 'object') return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value, PARTS.has(key))]),
  ) as Record<string, unknown>;
  // The schemas that an object extends are closed together with it, not on their own.
  if (part && typeof copy.$ref === 'string') copy.$ref = copy.$ref.replace(/^(document)?(?=#)/, BASES);
  const isObject = 'properties' in copy || 'allOf' in copy;
  if (isObject && !part && typeof copy.properties !== 'string' && copy.additionalProperties === undefined)
    copy.unevaluatedProperties = false;
  return copy;
}
