import { TooManyAtOnce } from '../platform/http/domain-error.js';
import type { DocumentedRefusal } from '../platform/http/documented.js';
import { RateLimitExceeded } from '../platform/rate-limit/index.js';
import type { Operation } from './operation.js';

/** The sentences that each operation may answer with 429, by its `operationId`. The public document leaves them out. */
export type Limits = Readonly<Record<string, readonly string[]>>;

/** The sentence when too many requests of one account or address run at once. */
export const AT_ONCE = TooManyAtOnce.detail as string;
/** The sentence of a rate limit policy, which also sends the rate limit headers. */
export const BY_POLICY = RateLimitExceeded.detail as string;

/**
 * Removes the 429 of a route from its operation.
 * @param hasPolicy whether a rate limit policy applies to the route
 * @returns the sentences, sorted; none for operations that nothing limits
 */
export function takeLimits(operation: Operation, hasPolicy: boolean): string[] {
  const { '429': named, ...responses } = operation.responses;
  operation.responses = responses;
  if (operation.tags?.includes('health') === true) return [];
  const schema: { 'x-refusal'?: DocumentedRefusal } | undefined = named?.content?.['application/json']?.schema;
  const own = schema?.['x-refusal']?.sentences ?? [];
  return [...new Set([...own, AT_ONCE, ...(hasPolicy ? [BY_POLICY] : [])])].sort();
}
