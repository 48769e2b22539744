import type { IncomingMessage } from 'node:http';
import { domainError, type DomainError } from './domain-error.js';

/** More than any client and the proxies before us send together. */
const MOST_HEADER_LINES = 200;

/** A name or address and a port. The host stands in addresses that the service hands out, so it holds nothing else. */
const HOST = /^(?:[\w.~-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

class BadRequest extends domainError(400, 'Bad Request') {}
class ExpectationFailed extends domainError(417, 'Expectation Failed') {}
class TooManyHeaders extends domainError(431, 'Request Header Fields Too Large') {}

/**
 * What Node would refuse by itself, without the documented form, or let pass: a missing, second or malformed `Host`, an `Expect` that
 * is not `100-continue`, transfer codings that nobody undoes, more lines than it would have kept.
 */
export function faultOfHead({ rawHeaders, headers, httpVersion }: IncomingMessage): DomainError | undefined {
  if (rawHeaders.length > 2 * MOST_HEADER_LINES) return new TooManyHeaders();
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) return new BadRequest();
  if (headers.host !== undefined && !HOST.test(headers.host)) return new BadRequest();
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') return new BadRequest();
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) return new ExpectationFailed();
  return undefined;
}

/** Settings of a server whose requests {@link faultOfHead} judges, with the times that a client is given. */
export const SERVER_OPTIONS = {
  requireHostHeader: false,
  /** For the head, then for head and body together. */
  headersTimeout: 30_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  /** Longer than the minute that proxies keep theirs: one of the two closes first, and a request of the other is lost. */
  keepAliveTimeout: 65_000,
} as const;
