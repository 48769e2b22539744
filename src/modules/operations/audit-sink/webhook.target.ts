import { createHmac } from 'node:crypto';
import type { Clock } from '../../../platform/clock/index.js';
import type { OutboundHttp } from '../../../platform/outbound-http/index.js';
import type { AuditLine, AuditTarget } from './audit-target.js';

const TIMEOUT_MS = 10_000;

/**
 * Posts one row at a time, with a signature of Standard Webhooks. The `webhook-id` is the id of the row, so a receiver
 * recognizes a row that is sent again.
 */
export class WebhookTarget implements AuditTarget {
  readonly maxLines = 1;

  constructor(
    private readonly receiver: { readonly url: string; readonly key: Buffer },
    private readonly http: OutboundHttp,
    private readonly clock: Clock,
  ) {}

  async write(lines: readonly AuditLine[]): Promise<void> {
    for (const line of lines) await this.post(line);
  }

  private async post({ id, json }: AuditLine): Promise<void> {
    const body = Buffer.from(json);
    const timestamp = Math.floor(this.clock.now().getTime() / 1_000);
    const signature = createHmac('sha256', this.receiver.key).update(`${id}.${timestamp}.`).update(body);
    const outcome = await this.http.send({
      url: this.receiver.url,
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Service-Audit/1.0',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `v1,${signature.digest('base64')}`,
      },
      body,
      deadlineMs: TIMEOUT_MS,
      share: 'audit sink',
    });
    if (outcome.kind === 'failure') throw new Error(outcome.message);
    if (outcome.status < 200 || outcome.status > 299) throw new Error(`Receiver answered ${outcome.status}`);
  }
}
