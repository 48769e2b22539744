import type { OpenAPIObject } from '@nestjs/swagger';
import { readExamples } from './examples.js';
import { AT_ONCE, BY_POLICY, type Limits, type Sentences } from './limits.js';
import type { Operation, Response } from './operation.js';
import { addOtherPaths, NO_OTHER_PATHS } from './other-paths.js';
import { putExamples } from './put-examples.js';
import { shareExamples } from './share-examples.js';

const REFERENCE = /"\$ref":"#\/components\/([^"]+)"/g;

type Referable<T> = T | { readonly $ref: string };

const JSON_TYPE = 'application/json';

const KEYED = [{ apiKey: [] }];
const BY_ACCESS: readonly (readonly [access: RegExp, security: readonly object[]])[] = [
  [/^bearer-or-key/, [{ bearer: [] }, ...KEYED]],
  [/^api-key/, KEYED],
  [/^internal/, [{ internalToken: [] }]],
  [/^scim/, [{ scimToken: [] }]],
  [/^(public|provider|hook)/, []],
];
/** The ways in which the intake accepts a key. Each protocol has its own. */
const KEYED_BY_PROTOCOL = [...KEYED, { keyAsBearer: [] }, { keyAsUserName: [] }];
/** Headers that carry the credentials of the security schemes, in lower case. */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set(['x-api-key', 'x-internal-token']);

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Key of a project or an Event Source' },
  keyAsBearer: { type: 'http', scheme: 'bearer', description: 'A key as bearer, for `/intake`' },
  keyAsUserName: { type: 'http', scheme: 'basic', description: 'A key as the user name, for `/intake`' },
  scimToken: { type: 'http', scheme: 'bearer', description: 'A token of an organization, for `/scim/v2`' },
  internalToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Internal-Token',
    description: 'Token of whoever operates it',
  },
} as const;

const header = (type: string, description: string): object => ({ description, schema: { type } });
const HEADERS = {
  RequestId: header('string', 'Finds the request in the log; the caller’s own where it sent one'),
  RetryAfter: header('integer', 'Seconds to wait before another try'),
  RateLimitPolicy: header('string', 'Name of the policy'),
  RateLimitLimit: header('integer', 'Requests in a window'),
  RateLimitRemaining: header('integer', 'Requests that are left of them'),
  RateLimitReset: header('integer', 'When the window has room again, as Unix seconds'),
};

const headersOf = (names: Readonly<Record<string, keyof typeof HEADERS>>): Record<string, object> =>
  Object.fromEntries(Object.entries(names).map(([name, part]) => [name, { $ref: `#/components/headers/${part}` }]));
const EVERY_ANSWER = headersOf({ 'X-Request-ID': 'RequestId' });
const LIMITED = headersOf({
  'X-RateLimit-Policy': 'RateLimitPolicy',
  'X-RateLimit-Limit': 'RateLimitLimit',
  'X-RateLimit-Remaining': 'RateLimitRemaining',
  'X-RateLimit-Reset': 'RateLimitReset',
});

const RETRY_AFTER = headersOf({ 'Retry-After': 'RetryAfter' });

/**
 * Returns the document from which clients are generated. It adds what the public document leaves out: the address, keys
 * as security schemes, 429 answers and the headers that clients act on. It also adds examples, which would be a fifth
 * of the public document.
 * @param document is not changed
 * @param limits the 429 sentences of each operation
 * @param others the paths that the public document does not describe
 */
export function clientDocument(document: OpenAPIObject, limits: Limits, others = NO_OTHER_PATHS): OpenAPIObject {
  const copy = structuredClone(document);
  addOtherPaths(copy, structuredClone(others));
  const components = (copy.components ??= {});
  copy.servers = [{ url: '/', description: 'Where this document was read' }];
  components.securitySchemes = { ...components.securitySchemes, ...SECURITY_SCHEMES };
  components.headers = HEADERS;
  const responses: Record<string, Response> = { ...(components.responses as object) };
  Object.assign(responses, limitAnswers(copy, limits, responses));
  for (const [name, response] of Object.entries(responses)) responses[name] = withHeaders(response, EVERY_ANSWER);
  components.responses = responses;
  for (const operation of operationsOf(copy)) {
    secure(operation, (components.parameters ?? {}) as unknown as NonNullable<Shared['parameters']>);
    answer(operation, responses, limits[operation.operationId ?? ''] ?? {});
  }
  putExamples(copy, readExamples());
  shareExamples(copy);
  dropUnused(copy, 'responses');
  dropUnused(copy, 'parameters');
  return copy;
}

function operationsOf({ paths }: OpenAPIObject): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item) as Operation[]);
}

/** Removes shared parts to which no operation refers any more. */
function dropUnused({ paths, components = {} }: OpenAPIObject, kind: 'responses' | 'parameters'): void {
  const used = new Set([...JSON.stringify(paths).matchAll(REFERENCE)].map(([, path]) => path));
  const parts = Object.entries((components[kind] ?? {}) as Record<string, object>);
  Object.assign(components, { [kind]: Object.fromEntries(parts.filter(([name]) => used.has(`${kind}/${name}`))) });
}

interface Shared {
  readonly parameters?: Readonly<Record<string, { readonly in: string; readonly name: string }>>;
}

/** Replaces the headers that carry credentials by security schemes. */
function secure(operation: Operation, shared: NonNullable<Shared['parameters']>): void {
  const access = operation['x-access'] ?? '';
  const found = BY_ACCESS.find(([pattern]) => pattern.test(access));
  if (found !== undefined) operation.security = found[1];
  if (operation.tags?.includes('intake') === true && operation.security === KEYED)
    operation.security = KEYED_BY_PROTOCOL;
  operation.parameters = operation.parameters?.filter((parameter: Referable<{ in: string; name: string }>) => {
    const { in: place, name } = ('$ref' in parameter ? shared[parameter.$ref.replace(/.*\//, '')] : parameter) ?? {};
    return place !== 'header' || name === undefined || !CREDENTIAL_HEADERS.has(name.toLowerCase());
  });
}

function answer(operation: Operation, shared: Record<string, Response>, limits: Sentences): void {
  const hasPolicy = BY_POLICY in limits;
  const isLimited = Object.keys(limits).length > 0;
  for (const [status, response] of Object.entries(operation.responses as Record<string, Referable<Response>>)) {
    const isSuccess = status.startsWith('2');
    // `/health` answers 503 in its own form and without `Retry-After`.
    if (status === '503' && isLimited) waitsBefore(operation, shared);
    // A shared response already has the headers of every answer. Rate limit headers make it a response of this route.
    if ('$ref' in response && (!isSuccess || !hasPolicy)) continue;
    const whole = wholeOf(operation.responses[status], shared);
    if (whole === undefined) throw new Error(`${status} of ${operation.operationId} refers to nothing`);
    operation.responses[status] = withHeaders(whole, { ...EVERY_ANSWER, ...(isSuccess && hasPolicy && LIMITED) });
  }
  if (isLimited)
    (operation.responses as Record<string, object>)['429'] = {
      $ref: `#/components/responses/${limitName(limits, operation)}`,
    };
  delete operation['x-error-form'];
}

function wholeOf(
  response: Referable<Response> | undefined,
  shared: Readonly<Record<string, Response>>,
): Response | undefined {
  return response !== undefined && '$ref' in response ? shared[response.$ref.replace(/.*\//, '')] : response;
}

/** Adds `Retry-After` to the 503 of an operation, since most of its reasons send it. */
function waitsBefore({ responses }: Operation, shared: Record<string, Response>): void {
  const response = responses['503'] as Referable<Response>;
  const name = '$ref' in response ? response.$ref.replace(/.*\//, '') : undefined;
  const whole = name === undefined ? (response as Response) : shared[name];
  if (whole === undefined) throw new Error('A 503 refers to nothing');
  const waiting = withHeaders(whole, RETRY_AFTER);
  if (name === undefined) responses['503'] = waiting;
  else shared[name] = waiting;
}

/** Returns a 429 response for each distinct list of sentences and form of errors, by its name. */
function limitAnswers(
  document: OpenAPIObject,
  limits: Limits,
  shared: Readonly<Record<string, Response>>,
): Record<string, Response> {
  const limited = operationsOf(document).flatMap((operation) => {
    const sentences = limits[operation.operationId ?? ''];
    return sentences === undefined ? [] : [{ operation, sentences }];
  });
  return Object.fromEntries(
    limited.map(({ operation, sentences }) => [
      limitName(sentences, operation),
      limitAnswer(sentences, operation, shared),
    ]),
  );
}

function limitAnswer(limits: Sentences, operation: Operation, shared: Readonly<Record<string, Response>>): Response {
  const sentences = [...new Set(Object.values(limits))].sort();
  const detail = { type: 'string', enum: sentences, description: 'Which limit it was' };
  const properties = { detail, ...membersBesideDetail(operation, shared) };
  const form = operation['x-error-form'];
  return {
    description: form !== undefined ? sentences.join(' · ') : oneOr('Too Many Requests', sentences),
    headers: { ...EVERY_ANSWER, ...RETRY_AFTER, ...(BY_POLICY in limits && LIMITED) },
    content: form?.content ?? { [JSON_TYPE]: { schema: { type: 'object', required: ['detail'], properties } } },
  };
}

function oneOr(words: string, sentences: readonly string[]): string {
  return (sentences.length === 1 && sentences[0]) || words;
}

/** Returns the members that a refusal of every event has in addition to `detail`. They are the same for 422 and 429. */
function membersBesideDetail({ responses }: Operation, shared: Readonly<Record<string, Response>>): object {
  const schema: { properties?: object } | undefined = wholeOf(responses['422'], shared)?.content?.[JSON_TYPE]?.schema;
  const { detail: _, ...members } = { detail: undefined, ...schema?.properties };
  return members;
}

/** Short names for combinations of more than two codes. */
const LIMIT_NAMES: Readonly<Record<string, string>> = {
  AllEventsOverDailyLimitOrDailyLimitExceededOrRateLimitExceeded: 'DailyOrRateLimitExceeded',
  AllIntakeEventsOverDailyLimitOrDailyLimitExceededOrRateLimitExceeded: 'IntakeLimitExceeded',
};

/**
 * Returns a name made of the codes other than that of too many requests at once, which every list contains. It begins
 * with the prefix of another form of errors.
 */
function limitName(limits: Sentences, operation: Operation): string {
  const others = Object.keys(limits).filter((code) => code !== AT_ONCE);
  const name = others.length === 0 ? AT_ONCE : others.join('Or');
  return `${operation['x-error-form']?.prefix ?? ''}${LIMIT_NAMES[name] ?? name}`;
}

function withHeaders(response: Response, headers: Readonly<Record<string, object>>): Response {
  return { ...response, headers: { ...headers, ...response.headers } };
}
