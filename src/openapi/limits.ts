import { TooManyAtOnce } from '../platform/http/domain-error.js';
import type { DocumentedRefusal } from '../platform/http/documented.js';
import { RateLimitExceeded } from '../platform/rate-limit/index.js';
import type { Operation } from './operation.js';

/** What each operation may say with 429, by its `operationId`: what SERVICE 9.4 leaves out of the document. */
export type Limits = Readonly<Record<string, readonly string[]>>;

/** Of whatever waits for its turn with others of the same account or address. */
export const AT_ONCE = TooManyAtOnce.detail as string;
/** Of a policy of rate limits, whose headers come along. */
export const BY_POLICY = RateLimitExceeded.detail as string;

/**
 * Takes the 429 that a route names out of its operation.
 * @param hasPolicy whether a policy of rate limits holds for the route
 * @returns the sentences, in the order of the alphabet; none of those that nothing limits
 */
export function takeLimits(operation: Operation, hasPolicy: boolean): string[] {
  const { '429': named, ...responses } = operation.responses;
  operation.responses = responses;
  if (operation.tags?.includes('health') === true) return [];
  const schema: { 'x-refusal'?: DocumentedRefusal } | undefined = named?.content?.['application/json']?.schema;
  const own = schema?.['x-refusal']?.sentences ?? [];
  return [...new Set([...own, AT_ONCE, ...(hasPolicy ? [BY_POLICY] : [])])].sort();
}
