import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/index.js';
import { CryptographyUnavailableError, DecryptionError } from '../../../../platform/crypto/index.js';
import { OutboundHttp } from '../../../../platform/outbound-http/index.js';
import { failedTry, outcomeOfHttp, type TryOutcome } from '../../sending/index.js';
import { isConfiguration, isWebhook, type WebhookConfiguration } from '../channels/channel-configuration.js';
import { HeaderVault } from '../channels/header-vault.js';
import type { ChannelDriver, Delivered } from './channel-driver.js';
import type { ClaimedAttempt } from './claims.repository.js';
import { notificationOf } from './notification.js';

/** For everything together (SERVICE 8.3). */
const WEBHOOK_DEADLINE_MS = 5_000;

/** Answers worth another try; alerts have a table of their own, where 409 is one too. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 425, 429]);

type Opened = { readonly headers: Record<string, string> } | { readonly failure: TryOutcome };

@Injectable()
export class WebhookDriver implements ChannelDriver {
  constructor(
    private readonly http: OutboundHttp,
    private readonly vault: HeaderVault,
    private readonly clock: Clock,
  ) {}

  async deliver(attempt: ClaimedAttempt, deadlineMs: number): Promise<Delivered> {
    const { configuration } = attempt;
    if (!isConfiguration('webhook', configuration) || !isWebhook(configuration)) {
      return { outcome: failedTry('refused', 'destination_configuration_invalid') };
    }
    const opened = this.open(attempt);
    if ('failure' in opened) return { outcome: opened.failure };
    return { outcome: await this.send(attempt, configuration, opened.headers, deadlineMs) };
  }

  /** The plain values live as long as the request is built and its answer cleaned of them. */
  private open(attempt: ClaimedAttempt): Opened {
    try {
      const entries = attempt.headers.map((header) => [header.name, this.vault.open(attempt, header)] as const);
      return { headers: Object.fromEntries(entries) };
    } catch (error) {
      if (error instanceof CryptographyUnavailableError) {
        return { failure: failedTry('unavailable', 'cryptography_unavailable') };
      }
      if (error instanceof DecryptionError) return { failure: failedTry('refused', 'protected_header_unreadable') };
      throw error;
    }
  }

  private async send(
    attempt: ClaimedAttempt,
    { url, method, headers }: WebhookConfiguration,
    protectedHeaders: Readonly<Record<string, string>>,
    deadlineMs: number,
  ): Promise<TryOutcome> {
    const body = Buffer.from(JSON.stringify(notificationOf(attempt)), 'utf8');
    const outcome = await this.http.send({
      url,
      method,
      headers: {
        ...headers,
        ...protectedHeaders,
        'Content-Type': 'application/json',
        'User-Agent': 'Service-Delivery/1.0',
        'X-Service-Delivery-Id': attempt.id,
        'X-Service-Attempt': String(attempt.tryNumber),
        'X-Service-Timestamp': String(Math.floor(this.clock.now().getTime() / 1_000)),
      },
      body,
      deadlineMs: Math.min(WEBHOOK_DEADLINE_MS, deadlineMs),
      refuseCredentialQuery: true,
      share: attempt.projectId,
    });
    const rules = {
      isRetryable: (status: number) => RETRYABLE.has(status) || (status >= 500 && status < 600),
      hearsRetryAfter: (status: number) => status === 429 || status === 503,
      secrets: Object.values(protectedHeaders),
      request: {
        method,
        try_number: attempt.tryNumber,
        content_length: body.length,
        header_names: Object.keys(headers),
        protected_header_names: Object.keys(protectedHeaders),
      },
    };
    return outcomeOfHttp(outcome, rules, this.clock.now());
  }
}
