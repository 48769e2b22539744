import type { IncomingMessage } from 'node:http';
import { domainError, type DomainError } from './domain-error.js';

/** Maximum number of header lines. No client sends so many, even together with the proxies in front of the service. */
const MOST_HEADER_LINES = 200;

/**
 * A name or address with an optional port. Addresses that the service returns contain the host, so nothing else is
 * allowed.
 */
const HOST = /^(?:[\w.~-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

class BadRequest extends domainError(400, 'Bad Request') {}
class ExpectationFailed extends domainError(417, 'Expectation Failed') {}
class TooManyHeaders extends domainError(431, 'Request Header Fields Too Large') {}

/**
 * Returns the fault of a request's head, if any: a missing, repeated or malformed `Host`, an `Expect` other than
 * `100-continue`, an unsupported transfer coding, or too many header lines. Node would accept some of these, and would
 * refuse the others without the documented error form.
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

/** Settings of a server whose requests {@link faultOfHead} checks, with the timeouts for clients. */
export const SERVER_OPTIONS = {
  requireHostHeader: false,
  /** `headersTimeout` limits the head, `requestTimeout` the head and the body together. */
  headersTimeout: 30_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000,
  /**
   * Longer than the minute for which proxies keep idle connections. If the service closed a connection first, a request
   * that the proxy has just sent would be lost.
   */
  keepAliveTimeout: 65_000,
} as const;
