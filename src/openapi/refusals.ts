import { STATUS_CODES } from 'node:http';
import {
  AdministrationDisabled,
  AdministrationNotConfigured,
  AdminRoleRequired,
  InsufficientProjectRole,
  NotAnOrganizationMember,
  NotAProjectMember,
  OrganizationNotFound,
  OwnerRoleRequired,
  PlatformAdministratorRequired,
  ProjectNotFound,
} from '../modules/access/index.js';
import {
  ApiKeyNotActive,
  EventSourceDisabled,
  InvalidApiKey,
  MissingReadScope,
  OriginNotAllowed,
} from '../modules/entitlement/api-keys/index.js';
import type { DocumentedRefusal, ErrorFormDocument } from '../platform/http/documented.js';
import {
  BodyTooLarge,
  type DomainErrorClass,
  NotAuthenticated,
  RouteNotFound,
  ServiceOverloaded,
  UnsupportedMediaType,
  sentenceOf,
} from '../platform/http/domain-error.js';
import { FAULT_TYPES } from '../platform/http/validation/index.js';
import { pascal } from './names.js';
import type { Operation, Response } from './operation.js';

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
const OF_KEYS = [InvalidApiKey, ApiKeyNotActive, EventSourceDisabled, MissingReadScope, OriginNotAllowed];
const OF_PLATFORM_ADMINISTRATION = [
  AdministrationDisabled,
  AdministrationNotConfigured,
  PlatformAdministratorRequired,
  OrganizationNotFound,
];
const VALIDATION_FAILED = 'Validation failed';
/** The code of a refusal by rows, which has no error class of a sentence. */
const VALIDATION_CODE = 'ValidationFailed';
/** The code of a refusal by a missing capability, whose sentence names the capability. */
const CAPABILITY_CODE = 'MissingCapability';

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
  readonly codes: Record<string, string>;
}

const nothing = (): Collected => ({ sentences: [], reasons: [], codes: {}, hasFreeText: false, members: {} });

/** The status and the sentence or schema of each code of a document. */
export type KnownCodes = Map<string, string>;

/** @throws {Error} when another refusal has the same code */
function checkCode(known: KnownCodes, code: string, said: string): void {
  const before = known.get(code) ?? said;
  if (before !== said && code !== CAPABILITY_CODE)
    throw new Error(`Two error classes have the name ${code}, for "${before}" and "${said}". Rename one of them.`);
  known.set(code, said);
}

/** Everything that an operation may answer with each status, collected before it is written. */
class Refusals {
  private readonly byStatus = new Map<number, Collected>();

  constructor(
    private readonly ownSentences: Readonly<Record<string, string>>,
    private readonly known: KnownCodes,
  ) {}

  add(status: number, { sentences, reasons, codes, hasFreeText, members }: DocumentedRefusal): void {
    const known = this.of(status);
    for (const sentence of sentences) {
      const said = this.ownSentences[sentence] ?? sentence;
      if (!known.sentences.includes(said)) known.sentences.push(said);
    }
    for (const [said, code] of Object.entries(codes)) {
      checkCode(this.known, code, `${status} ${said}`);
      known.codes[this.ownSentences[said] ?? said] ??= code;
    }
    for (const reason of reasons) if (!known.reasons.includes(reason)) known.reasons.push(reason);
    known.hasFreeText ||= hasFreeText;
    Object.assign(known.members, members);
  }

  say({ status, detail, name }: Pick<DomainErrorClass, 'status' | 'detail' | 'name'>): void {
    const sentence = sentenceOf(detail);
    this.add(status, { ...nothing(), sentences: [sentence], codes: { [sentence]: name } });
  }

  /** @param hasRows whether the inputs of the operation are validated */
  responses(hasRows: boolean): Record<string, Response> {
    if (hasRows) this.of(422);
    return Object.fromEntries([...this.byStatus].map(([status]) => [status, this.response(status, hasRows)]));
  }

  /** Returns the responses in the form of another protocol. Their descriptions list the sentences. */
  inForm({ prefix, content }: ErrorFormDocument): Record<string, Response> {
    const responses = [...this.byStatus].map(([status, { sentences }]) => {
      const name = `${prefix}${pascal(STATUS_CODES[status] ?? '')}`;
      return [status, { description: sentences.sort().join(' · '), content: { ...content }, 'x-codes': [name] }];
    });
    return Object.fromEntries(responses) as Record<string, Response>;
  }

  private of(status: number): Collected {
    const known = this.byStatus.get(status) ?? nothing();
    this.byStatus.set(status, known);
    return known;
  }

  private response(status: number, hasRows: boolean): Response {
    const { reasons, codes, hasFreeText, members, ...of } = this.of(status);
    const sentences = of.sentences.sort();
    const isValidated = status === 422 && hasRows;
    const schema = this.schema({ sentences, reasons, codes, hasFreeText, members }, isValidated);
    const named = [...new Set([...(isValidated ? [VALIDATION_CODE] : []), ...Object.values(codes)])].sort();
    const response = { description: '', content: { 'application/json': { schema } }, 'x-codes': named };
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
 * @param known the codes of the operations before, which this function extends
 * @throws {Error} when two different refusals have one code
 */
export function writeRefusals(
  operation: Operation,
  ownSentences: Readonly<Record<string, string>>,
  known: KnownCodes,
): void {
  const access = operation['x-access'] ?? '';
  const refusals = new Refusals(ownSentences, known);
  for (const [status, { content }] of Object.entries(operation.responses)) {
    const schema: { 'x-refusal'?: DocumentedRefusal } | undefined = content?.['application/json']?.schema;
    const named = schema?.['x-refusal'];
    if (named !== undefined) refusals.add(Number(status), named);
  }
  if (access !== 'public' && access !== 'provider' && access !== 'hook') refusals.say(NotAuthenticated);
  if (access.startsWith('bearer-or-key')) {
    for (const error of OF_KEYS) refusals.say(error);
  }
  if (access === 'internal') refusals.say(RouteNotFound);
  const names = (parameter: string): boolean =>
    operation.parameters?.some(({ name }) => name === parameter) === true || operation.requestBody !== undefined;
  if (access === 'platform-admin') {
    for (const error of OF_PLATFORM_ADMINISTRATION) refusals.say(error);
  }
  if (/^(organization|bearer-or-key):/.test(access)) {
    if (access.startsWith('organization:owner')) refusals.say(OwnerRoleRequired);
    else if (!access.endsWith(':viewer')) refusals.say(AdminRoleRequired);
    if (names('organization_id')) {
      refusals.say(OrganizationNotFound);
      refusals.say(NotAnOrganizationMember);
    }
  }
  if (/^(project|capability):/.test(access)) {
    if (names('project_id')) {
      refusals.say(ProjectNotFound);
      refusals.say(NotAProjectMember);
    }
    if (access.startsWith('capability:')) {
      const detail = `Missing delivery ${access.replace(':', ': ')}`;
      refusals.say({ status: 403, detail, name: CAPABILITY_CODE });
    } else if (access !== 'project:viewer') refusals.say(InsufficientProjectRole);
  }
  if (operation.requestBody !== undefined) {
    refusals.say(BodyTooLarge);
    refusals.say(UnsupportedMediaType);
  }
  // Any route that reads the database may find it unreachable or every connection in use, and large bodies wait for a
  // slot. `/health` reports that in its own form.
  if (operation.tags?.includes('health') !== true) refusals.say(ServiceOverloaded);
  const hasInputs = operation.parameters?.some(
    ({ in: place, name }) => place !== 'header' || !/^x-(api-key|internal-token)$/i.test(name),
  );
  const isValidated = access !== 'provider' && (operation.requestBody !== undefined || hasInputs === true);
  const form = operation['x-error-form'];
  Object.assign(operation.responses, form === undefined ? refusals.responses(isValidated) : refusals.inForm(form));
}

/**
 * Returns what a refusal can say: each sentence, and the name of each schema in words. Empty when its schema has no
 * `detail`.
 */
function wordsOf({ content }: Response): string[] {
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
