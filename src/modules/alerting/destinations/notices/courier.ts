import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/index.js';
import { CryptographyUnavailableError, DecryptionError } from '../../../../platform/crypto/index.js';
import { OutboundHttp, signDelivery } from '../../../../platform/outbound-http/index.js';
import { failedTry, outcomeOfHttp, type TryOutcome } from '../../../delivery/sending/index.js';
import type { DestinationType } from '../destinations/destination.entity.js';
import { DestinationVault, type OpenedDestination, type SealedDestination } from '../destinations/destination-vault.js';
import { type StoredNotice, webhookBody } from './alert-notice.js';
import { slackMessage } from './slack-message.js';

/** Answers worth another try (SERVICE 8.4): unlike for channels, 409 is one. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 409, 425, 429]);
/** Failures without an answer that no repetition mends; every other one may (SERVICE 8.4). */
const HOPELESS: ReadonlySet<string | null> = new Set(['unsafe_destination', 'invalid_request']);

export interface Errand {
  readonly destination: SealedDestination & { readonly type: DestinationType };
  readonly notice: StoredNotice;
  /** The same over all tries: receivers know a repeat by it. */
  readonly deliveryId: string;
  readonly deadlineMs: number;
}

/** Takes one notice to one destination, once. Never rejects for what the other side does. */
@Injectable()
export class Courier {
  constructor(
    private readonly http: OutboundHttp,
    private readonly vault: DestinationVault,
    private readonly clock: Clock,
  ) {}

  async send(errand: Errand): Promise<TryOutcome> {
    try {
      return await this.sendTo(this.vault.open(errand.destination), errand);
    } catch (error) {
      if (error instanceof CryptographyUnavailableError) return failedTry('unavailable', 'cryptography_unavailable');
      if (error instanceof DecryptionError) return failedTry('refused', 'credentials_unreadable');
      throw error;
    }
  }

  private async sendTo(
    { url, secrets, confidential }: OpenedDestination,
    { destination, notice, deliveryId, deadlineMs }: Errand,
  ): Promise<TryOutcome> {
    const content = destination.type === 'slack' ? slackMessage(notice) : webhookBody(notice);
    const body = Buffer.from(JSON.stringify(content), 'utf8');
    const timestamp = Math.floor(this.clock.now().getTime() / 1_000);
    const outcome = await this.http.send({
      url,
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Service-Alerts/1.0',
        ...signDelivery({ secrets, timestamp, id: deliveryId, body }),
      },
      body,
      deadlineMs,
      share: destination.projectId,
    });
    const result = outcomeOfHttp(
      outcome,
      {
        isRetryable: (status) => RETRYABLE.has(status) || (status >= 500 && status < 600),
        hearsRetryAfter: (status) => status === 429,
        secrets: confidential,
        request: {},
      },
      this.clock.now(),
    );
    const isHopeful = outcome.kind === 'failure' && !HOPELESS.has(result.code);
    return isHopeful ? { ...result, kind: 'transient' } : result;
  }
}
