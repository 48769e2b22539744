import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/index.js';
import { stringifyExact } from '../../../../platform/json/index.js';
import { OutboundHttp, signDelivery } from '../../../../platform/outbound-http/index.js';
import { outcomeOfHttp, type TryOutcome } from '../../../delivery/sending/index.js';
import type { DestinationMessage } from './destination-driver.js';

/** Statuses below 500 that are retried. Unlike for channels, 409 is one of them. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 409, 425, 429]);
/** Failures without an answer that are permanent. All other failures without an answer are retried. */
const HOPELESS: ReadonlySet<string | null> = new Set(['unsafe_destination', 'invalid_request']);

/** Posts JSON to a destination, signed by its secrets. */
@Injectable()
export class SignedPostClient {
  constructor(
    private readonly http: OutboundHttp,
    private readonly clock: Clock,
  ) {}

  /** Sends one request. Failures of the receiver never reject. @param content the JSON body */
  async send(
    { destination, notification, deliveryId, rendered }: DestinationMessage,
    content: unknown,
    deadlineMs: number,
  ): Promise<TryOutcome> {
    const { url, shownUrl, secrets, confidential } = destination;
    const body = Buffer.from(stringifyExact(content), 'utf8');
    const timestamp = Math.floor(this.clock.now().getTime() / 1_000);
    const method = 'POST';
    const ownHeaders = {
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Alerts/1.0',
      ...signDelivery({ secrets, timestamp, id: deliveryId, body }),
    };
    const outcome = await this.http.send({
      url,
      method,
      headers: { ...rendered?.headers, ...ownHeaders },
      body,
      deadlineMs,
      share: notification.projectId,
    });
    const result = outcomeOfHttp(
      outcome,
      {
        isRetryable: (status) => RETRYABLE.has(status) || (status >= 500 && status < 600),
        hearsRetryAfter: (status) => status === 429,
        secrets: confidential,
        request: {},
        // A preset may add headers that carry credentials.
        sent: { method, url: shownUrl, ownHeaders, protectedHeaders: rendered?.headers, body },
      },
      this.clock.now(),
    );
    const isHopeful = outcome.kind === 'failure' && !HOPELESS.has(result.code);
    return isHopeful ? { ...result, kind: 'transient' } : result;
  }
}
