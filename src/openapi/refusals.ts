import { STATUS_CODES } from 'node:http';
import type { DocumentedRefusal } from '../platform/http/documented.js';
import { FAULT_TYPES } from '../platform/http/fields/index.js';
import type { Operation, Response } from './operation.js';

const OVERLOADED = 'Service overloaded';

/** Schemas that refusals share. */
export const REFUSAL_SCHEMAS = {
  ValidationRow: {
    type: 'object',
    required: ['type', 'loc', 'msg', 'input'],
    description: 'One fault of the inputs.',
    properties: {
      type: { type: 'string', enum: FAULT_TYPES, description: 'Which rule is broken', examples: ['missing'] },
      loc: {
        type: 'array',
        items: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
        description: 'Where: `path`, `query`, `header` or `body`, and the way from there',
        examples: [['body', 'email']],
      },
      msg: { type: 'string', description: 'The fault in words', examples: ['Field required'] },
      input: { description: 'What was sent, cut short; secrets read [redacted]' },
      ctx: { $ref: '#/components/schemas/ValidationContext' },
    },
  },
  ValidationContext: {
    type: 'object',
    additionalProperties: true,
    description:
      'The bounds of the rule, by their names. Of a query or condition in EQL: the place of the fault in its text, in characters, and what would help.',
    properties: {
      error: {
        oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
        description: 'Why a text could not be read; empty where the message says it',
      },
      code: {
        type: 'string',
        enum: ['syntax', 'semantics', 'limit'],
        description: 'Of EQL: what cannot be read, cannot be meant, or is too much',
      },
      line: { type: 'integer', minimum: 1, description: 'Of EQL: the line that the fault begins in' },
      column: { type: 'integer', minimum: 1, description: 'Of EQL: where in the line it begins' },
      length: { type: 'integer', minimum: 0, description: 'Of EQL: how long it is; 0 at the end' },
      expected: {
        oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 10 }],
        description: 'The values that would do, in words; of EQL a list of what would have been understood there',
      },
      hint: { type: ['string', 'null'], description: 'Of EQL: what may be meant' },
    },
  },
  ValidationFailure: {
    type: 'object',
    required: ['detail'],
    description: 'The inputs are wrong; one row for each fault, in the order path, query, header, body.',
    properties: {
      detail: {
        type: 'array',
        items: { $ref: '#/components/schemas/ValidationRow' },
        description: 'The faults, at most a hundred',
      },
    },
  },
} as const;

const ROWS = { type: 'array', items: { $ref: '#/components/schemas/ValidationRow' } } as const;
/** The reasons to refuse a key on routes that also accept an access token. */
const OF_KEYS = [
  'Event source is disabled',
  'Missing required scope: events:read',
  'Origin is not allowed for this API key',
];
const VALIDATION_FAILED = 'Validation failed';

interface Detail {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly $ref?: string;
  readonly oneOf?: readonly Detail[];
}

type Refusal = { readonly $ref: string } | { readonly properties?: { readonly detail?: Detail } };

interface Collected extends DocumentedRefusal {
  readonly sentences: string[];
  readonly reasons: string[];
  hasFreeText: boolean;
  readonly members: Record<string, object>;
}

/** Everything that an operation may answer with each status, collected before it is written. */
class Refusals {
  private readonly byStatus = new Map<number, Collected>();

  constructor(private readonly ownSentences: Readonly<Record<string, string>>) {}

  add(status: number, { sentences, reasons, hasFreeText, members }: DocumentedRefusal): void {
    const known = this.of(status);
    for (const sentence of sentences) {
      const said = this.ownSentences[sentence] ?? sentence;
      if (!known.sentences.includes(said)) known.sentences.push(said);
    }
    for (const reason of reasons) if (!known.reasons.includes(reason)) known.reasons.push(reason);
    known.hasFreeText ||= hasFreeText;
    Object.assign(known.members, members);
  }

  say(status: number, sentence: string): void {
    this.add(status, { sentences: [sentence], reasons: [], hasFreeText: false, members: {} });
  }

  says(status: number, sentence: string): boolean {
    return this.byStatus.get(status)?.sentences.includes(sentence) === true;
  }

  /** @param hasRows whether the inputs of the operation are validated */
  responses(hasRows: boolean): Record<string, Response> {
    if (hasRows) this.of(422);
    return Object.fromEntries([...this.byStatus].map(([status]) => [status, this.response(status, hasRows)]));
  }

  private of(status: number): Collected {
    const known = this.byStatus.get(status) ?? { sentences: [], reasons: [], hasFreeText: false, members: {} };
    this.byStatus.set(status, known);
    return known;
  }

  private response(status: number, hasRows: boolean): Response {
    const { reasons, hasFreeText, members, ...of } = this.of(status);
    const sentences = of.sentences.sort();
    const isValidated = status === 422 && hasRows;
    const schema = this.schema({ sentences, reasons, hasFreeText, members }, isValidated);
    const response = { description: '', content: { 'application/json': { schema } } };
    // Several sentences are listed in the schema and need not be repeated. A schema that accepts any text lists none.
    const words = hasFreeText ? [sentences.join(' · ')] : wordsOf(response);
    response.description = (words.length === 1 && words[0]) || (STATUS_CODES[status] ?? '');
    return response;
  }

  private schema({ sentences, reasons, hasFreeText, members }: DocumentedRefusal, isValidated: boolean): object {
    if (isValidated && sentences.length === 0 && reasons.length === 0) {
      return { $ref: '#/components/schemas/ValidationFailure' };
    }
    const kinds: object[] = [
      ...(isValidated ? [ROWS] : []),
      ...(hasFreeText ? [{ type: 'string' }] : sentences.length > 0 ? [{ type: 'string', enum: sentences }] : []),
      ...reasons.map((reason) => ({ $ref: reason })),
    ];
    const detail = kinds.length === 1 ? kinds[0] : { oneOf: kinds };
    return { type: 'object', required: ['detail'], properties: { detail, ...members } };
  }
}

/**
 * Writes the refusals that a route names, and those that follow from its access and its inputs.
 * @param ownSentences the deployment's own sentences, by the sentence in the code
 */
export function writeRefusals(operation: Operation, ownSentences: Readonly<Record<string, string>>): void {
  const access = operation['x-access'] ?? '';
  const refusals = new Refusals(ownSentences);
  for (const [status, { content }] of Object.entries(operation.responses)) {
    const schema: { 'x-refusal'?: DocumentedRefusal } | undefined = content?.['application/json']?.schema;
    const named = schema?.['x-refusal'];
    if (named !== undefined) refusals.add(Number(status), named);
  }
  if (access !== 'public' && access !== 'provider' && access !== 'hook') refusals.say(401, 'Not authenticated');
  if (access.startsWith('bearer-or-key')) {
    refusals.say(401, 'Invalid API key');
    refusals.say(401, 'API key is not active');
    for (const sentence of OF_KEYS) refusals.say(403, sentence);
  }
  if (access === 'internal') refusals.say(404, 'Not Found');
  const names = (parameter: string): boolean =>
    operation.parameters?.some(({ name }) => name === parameter) === true || operation.requestBody !== undefined;
  if (access === 'platform-admin') refusals.say(404, 'Organization not found');
  if (/^(organization|bearer-or-key):/.test(access)) {
    if (!access.endsWith(':viewer')) refusals.say(403, 'Admin role required');
    if (names('organization_id')) {
      refusals.say(404, 'Organization not found');
      refusals.say(403, 'Not an organization member');
    }
  }
  if (/^(project|capability):/.test(access)) {
    if (names('project_id')) {
      refusals.say(404, 'Project not found');
      refusals.say(403, 'Not a project member');
    }
    if (access.startsWith('capability:')) refusals.say(403, `Missing delivery ${access.replace(':', ': ')}`);
    else if (access !== 'project:viewer') refusals.say(403, 'Insufficient project role');
  }
  if (operation.requestBody !== undefined) {
    refusals.say(413, 'Request body too large');
    refusals.say(415, 'Unsupported Media Type');
  }
  // Any route that reads the database may find it unreachable or every connection in use, and large bodies wait for a
  // slot. `/health` reports that in its own form.
  if (operation.tags?.includes('health') !== true) refusals.say(503, OVERLOADED);
  const hasInputs = operation.parameters?.some(
    ({ in: place, name }) => place !== 'header' || !/^x-(api-key|internal-token)$/i.test(name),
  );
  const isValidated = access !== 'provider' && (operation.requestBody !== undefined || hasInputs === true);
  Object.assign(operation.responses, refusals.responses(isValidated));
}

/**
 * Returns what a refusal can say: each sentence, and the name of each schema in words. Empty when its schema has no
 * `detail`.
 */
export function wordsOf({ content }: Response): string[] {
  const schema: Refusal | undefined = content?.['application/json']?.schema;
  if (schema === undefined) return [];
  if ('$ref' in schema) return [VALIDATION_FAILED];
  const { detail } = schema.properties ?? {};
  return (detail === undefined ? [] : (detail.oneOf ?? [detail])).flatMap(
    ({ enum: sentences, $ref: reason, type }) =>
      sentences ??
      (reason !== undefined ? [spaced(reason.replace(/.*\//, ''))] : type === 'array' ? [VALIDATION_FAILED] : []),
  );
}

/** Turns `SecretInUse` into words. */
function spaced(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
}
