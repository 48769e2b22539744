import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { document, limits, type ListedOperation, type Schema } from './document.js';
import { answeredBody, contentType, operationOf, sentBody } from './exchange.js';

/** A defect of the service is nobody's contract. */
const OF_DEFECTS = 500;
/** Limits are not in the document (SERVICE 9), but beside it. */
const OF_LIMITS = 429;

/** Of HTTP itself, whatever the operation: the message is cut short, too slow, too large in its head or none at all. */
const OF_THE_PROTOCOL: ReadonlySet<string> = new Set(
  ['Bad Request', 'Request Timeout', 'Expectation Failed', 'Request Header Fields Too Large'].map((detail) =>
    JSON.stringify({ detail }),
  ),
);

/** An instance that does background work alone has few of the routes. */
const NO_SUCH_ROUTE = '{"detail":"Not Found"}';
const JSON_TYPE = 'application/json';

/** One request and its answer. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** The media type of the answer, without parameters; empty when there is none. */
  readonly type: string;
  /** The text of an answer of JSON. */
  readonly answered: string;
  /** The text of a body of JSON; empty for any other. */
  readonly sent: string;
}

/**
 * Compares every JSON answer with the OpenAPI document: its status is listed, its body fits the schema, and it has no field
 * that the schema does not name. Clients are generated from the document, so an answer that differs breaks them, whichever
 * test it came up in.
 */
export class DocumentedAnswers {
  private readonly found = new Set<string>();

  /** Listens to a server of this process; `faults` fills while it answers. */
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

  /** A line for each kind of fault, empty when all answers were as documented. */
  get faults(): readonly string[] {
    return [...this.found];
  }

  check(exchange: Exchange): void {
    const listed = operationOf(exchange);
    if (listed === undefined) return;
    this.checkAnswer(listed, exchange);
    if (exchange.status < 300) this.checkSent(listed, exchange.sent);
  }

  private checkAnswer({ method, path, operation }: ListedOperation, { status, type, answered }: Exchange): void {
    if (status === OF_DEFECTS || OF_THE_PROTOCOL.has(answered) || answered === NO_SUCH_ROUTE) return;
    const where = `${method} ${path} ${status}`;
    if (status === OF_LIMITS) {
      const sentences = limits[operation.operationId] ?? [];
      if (!sentences.some((detail) => answered === JSON.stringify({ detail })))
        this.found.add(`${where} says ${answered}`);
      return;
    }
    const documented = operation.responses[status];
    if (documented === undefined) {
      this.found.add(`${where} is not documented: ${answered.slice(0, 200)}`);
      return;
    }
    // What people have stored has the type that they gave it.
    const content = documented.content?.[type] ?? documented.content?.['*/*'];
    if (content === undefined) {
      if (type !== '' || documented.content !== undefined)
        this.found.add(`${where} answers ${type || 'nothing'}, which is not documented`);
      return;
    }
    if (type !== JSON_TYPE || content !== documented.content?.[JSON_TYPE]) return;
    this.hold(where, JSON.parse(answered), answerValidatorOf(where, content.schema));
  }

  /** What the service takes, the document takes as well; else clients could not send it. */
  private checkSent({ method, path, operation }: ListedOperation, body: string): void {
    const schema = operation.requestBody?.content[JSON_TYPE]?.schema;
    if (schema === undefined || body === '') return;
    const where = `${method} ${path} sent`;
    const validate = sentValidatorOf(where, schema);
    // In every body but that of PATCH, null for an optional member is the same as leaving it out. No schema says so,
    // since every optional member of every client's types would have to take null.
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

/** Leaves out the members of objects that are null, as a reviver of JSON. */
function withoutNull(this: unknown, _key: string, value: unknown): unknown {
  return value === null && !Array.isArray(this) ? undefined : value;
}

const validators = new Map<string, ValidateFunction>();
let schemas: Ajv2020 | undefined;

/** Answers have what the schema names and nothing else. */
function answerValidatorOf(where: string, schema: Schema): ValidateFunction {
  let validate = validators.get(where);
  if (validate === undefined) {
    const known = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    validate = (schemas ??= documentSchemas()).compile(closed(JSON.parse(known)) as object);
    validators.set(where, validate);
  }
  return validate;
}

let sentSchemas: Ajv2020 | undefined;

/** Requests may have further members, and numbers as text. */
export function sentValidatorOf(where: string, schema: Schema): ValidateFunction {
  let validate = validators.get(where);
  if (validate === undefined) {
    sentSchemas ??= schemasOf({ $id: 'document', components: document.components }, { coerceTypes: true });
    validate = sentSchemas.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object);
    validators.set(where, validate);
  }
  return validate;
}

function documentSchemas(): Ajv2020 {
  return schemasOf(closed({ $id: 'document', components: document.components }) as object).addSchema(basesOfDocument());
}

/** What others extend: closed at its members, and open itself, since its heirs have further ones. */
function basesOfDocument(): object {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => {
    const known = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
    return [name, closed(known, true)] as const;
  });
  return { $id: BASES, components: { schemas: Object.fromEntries(schemas) } };
}

function schemasOf(schemas: object, options: Options = {}): Ajv2020 {
  // That the document is one is a test of its own; here it would be compiled anew for every file.
  const ajv = new Ajv2020({ strict: false, allErrors: true, meta: false, validateSchema: false, ...options });
  addFormats.default(ajv);
  return ajv.addSchema(schemas);
}

/** Schemas under these say something of a part of the members alone. */
const PARTS: ReadonlySet<string> = new Set(['allOf', 'if', 'then', 'else']);
const BASES = 'bases';

/** The same schema, where an object that says nothing of further fields has none. */
function closed(schema: unknown, part = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => closed(each, part));
  if (schema === null || typeof schema !== 'object') return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value, PARTS.has(key))]),
  ) as Record<string, unknown>;
  // What an object extends is closed with it, not by itself.
  if (part && typeof copy.$ref === 'string') copy.$ref = copy.$ref.replace(/^(document)?(?=#)/, BASES);
  const isObject = 'properties' in copy || 'allOf' in copy;
  if (isObject && !part && typeof copy.properties !== 'string' && copy.additionalProperties === undefined)
    copy.unevaluatedProperties = false;
  return copy;
}
