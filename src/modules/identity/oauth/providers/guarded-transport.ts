import type { OutboundHttp } from '../../../../platform/outbound-http/index.js';
import type { ProviderTransport } from './provider-http.js';

/**
 * Returns a transport for issuers that a tenant has given. It reaches only the addresses that the operator allows.
 * @param share the tenant, whose lookups do not delay those of others
 */
export function guardedTransport(outbound: OutboundHttp, share: string): ProviderTransport {
  return async ({ url, method, headers, body, timeoutMs, maxBytes }) => {
    const outcome = await outbound.send({
      url: url.href,
      method,
      headers,
      body: Buffer.from(body ?? ''),
      // One byte more shows that the answer is too large.
      maxAnswerBytes: maxBytes + 1,
      deadlineMs: timeoutMs,
      share,
    });
    if (outcome.kind === 'failure') throw new Error(outcome.message);
    if (Buffer.byteLength(outcome.body) > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    return { status: outcome.status, text: outcome.body };
  };
}
