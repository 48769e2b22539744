import { sentenceOf, TooManyAtOnce } from '../platform/http/domain-error.js';
import type { DocumentedRefusal } from '../platform/http/documented.js';
import { RateLimitExceeded } from '../platform/rate-limit/index.js';
import type { Operation } from './operation.js';

/** The sentences of refusals, each by its code: the name of its error class. */
export type Sentences = Readonly<Record<string, string>>;

/** The 429 answers of each operation, by its `operationId`. The public document leaves them out. */
export type Limits = Readonly<Record<string, Sentences>>;

/** The code when too many requests of one account or address run at once. */
export const AT_ONCE = TooManyAtOnce.name;
/** The code of a rate limit policy, which also sends the rate limit headers. */
export const BY_POLICY = RateLimitExceeded.name;

/**
 * Removes the 429 of a route from its operation.
 * @param hasPolicy whether a rate limit policy applies to the route
 * @returns the sentences, sorted by code; none for operations that nothing limits
 */
export function takeLimits(operation: Operation, hasPolicy: boolean): Sentences {
  const { '429': named, ...responses } = operation.responses;
  operation.responses = responses;
  if (operation.tags?.includes('health') === true) return {};
  const schema: { 'x-refusal'?: DocumentedRefusal } | undefined = named?.content?.['application/json']?.schema;
  const own = Object.entries(schema?.['x-refusal']?.codes ?? {}).map(([sentence, code]) => [code, sentence] as const);
  const common = [TooManyAtOnce, ...(hasPolicy ? [RateLimitExceeded] : [])];
  const all = [...own, ...common.map(({ name, detail }) => [name, sentenceOf(detail)] as const)];
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}
