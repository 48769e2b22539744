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

/** Returns a validator of answers: an answer has the members of its schema and no other members. */
function answerValidatorOf(where: string, schema: Schema): ValidateFunction {
  return answerSchemas.validatorOf(where, schema);
}

/** Returns a validator of requests: a request may have further members, and numbers as text. */
export function sentValidatorOf(where: string, schema: Schema): ValidateFunction {
  return sentSchemas.validatorOf(where, schema);
}

/**
 * Compiles schemas. The shared schemas of the document are added when a schema refers to them: a spec file needs few of
 * them, and adding all of them takes longer than most tests.
 */
class CompiledSchemas {
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly shared = new Set<string>();
  private readonly ajv: Ajv2020;

  constructor(
    /** Returns a changed copy of a schema. */
    private readonly changed: (schema: unknown, isBase: boolean) => unknown,
    options: Options = {},
  ) {
    this.ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      // Another test validates the document itself. Here it would be validated again for every file.
      meta: false,
      validateSchema: false,
      // Each schema checks few answers, so that the optimization of its code costs more than it saves.
      code: { optimize: false },
      ...options,
    });
    addFormats.default(this.ajv);
  }

  validatorOf(where: string, schema: Schema): ValidateFunction {
    let validate = this.validators.get(where);
    if (validate === undefined) {
      validate = this.ajv.compile(this.prepared(schema, false));
      this.validators.set(where, validate);
    }
    return validate;
  }

  /** Returns a schema that refers to shared schemas by their names, after adding them. */
  private prepared(schema: unknown, isBase: boolean): object {
    const named = JSON.stringify(schema).replaceAll('"#/components/schemas/', '"');
    const prepared = this.changed(JSON.parse(named), isBase) as object;
    for (const [, key = ''] of JSON.stringify(prepared).matchAll(/"\$ref":"([^"]+)"/g)) this.add(key);
    return prepared;
  }

  private add(key: string): void {
    if (this.shared.has(key)) return;
    this.shared.add(key);
    const isBase = key.startsWith(BASE);
    const schema = completeDocument.components.schemas[isBase ? key.slice(BASE.length) : key];
    if (schema === undefined) throw new Error(`${key} is not in the document`);
    this.ajv.addSchema(this.prepared(schema, isBase), key);
  }
}

/** A schema under one of these names describes only a part of the members. */
const PARTS: ReadonlySet<string> = new Set(['allOf', 'if', 'then', 'else']);
/** The prefix of a schema that others extend. Its members are closed, but the schema itself is open. */
const BASE = 'base.';

/** Returns a copy of a schema in which objects without a rule for further members forbid them. */
function closed(schema: unknown, part = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => closed(each, part));
  if (schema === null || typeof schema !== 'object') return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value, PARTS.has(key))]),
  ) as Record<string, unknown>;
  // The schemas that an object extends are closed together with it, not on their own.
  if (part && typeof copy.$ref === 'string') copy.$ref = `${BASE}${copy.$ref}`;
  const isObject = 'properties' in copy || 'allOf' in copy;
  if (isObject && !part && typeof copy.properties !== 'string' && copy.additionalProperties === undefined)
    copy.unevaluatedProperties = false;
  return copy;
}

const answerSchemas = new CompiledSchemas(closed);
const sentSchemas = new CompiledSchemas((schema) => schema, { coerceTypes: true });
