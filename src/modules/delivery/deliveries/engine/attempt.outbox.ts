import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { CryptographyUnavailableError, DecryptionError } from '../../../../platform/crypto/index.js';
import { parseExact } from '../../../../platform/json/index.js';
import type { JobQueue } from '../../../../platform/queue/index.js';
import {
  exampleValues,
  renderTemplate,
  TemplateSecretsService,
  templateValues,
  type TemplateValues,
  UnbuildableTemplate,
} from '../../templates/index.js';
import { failedTry, type SendingLane, type Outbox, type SendingEngine, type TryOutcome } from '../../sending/index.js';
import { ChannelChanged, ProtectedHeaderOpener, UnbuildableHeader } from '../channels/protected-header.opener.js';
import { UnreadableSigningSecret } from '../channels/signing-vault.js';
import type { Notification } from '../drivers/channel-driver.js';
import { ChannelDriverRegistry } from '../drivers/channel-driver.registry.js';
import { isChannelType } from '../drivers/channel-drivers.js';
import { AttemptClaimsRepository, type ClaimedAttempt, type ExpiredAttempt } from './attempt-claims.repository.js';
import { deliveryRetriesJob, deliveryWakeJob } from './delivery.jobs.js';

/** The engine that sends attempts; injected by this token. */
export const DELIVERY_ENGINE = Symbol('DeliveryEngine');
export type DeliveryEngine = SendingEngine<ExpiredAttempt, ClaimedAttempt>;

/** A wake-up job names at most this many channels. */
const MOST_LANES = 100;

/** The outbox of attempts: sends each one through the driver of its channel. */
@Injectable()
export class AttemptOutbox implements Outbox<ExpiredAttempt, ClaimedAttempt> {
  readonly profile = {
    log: { context: 'delivery', row: 'attempt', claims: 'claims', trouble: 'deliveries are held up' },
    metrics: {
      prefix: 'oes_delivery',
      one: 'delivery',
      many: 'Deliveries',
      labels: ['channel_type'],
      labelsOf: ({ channelType }: ClaimedAttempt) => ({ channel_type: channelType }),
    },
    limits: { all: 200, tenant: 50, lane: 10 },
    look: deliveryRetriesJob,
    wake: wakeUps,
  };
  readonly claims;

  constructor(
    private readonly attempts: AttemptClaimsRepository,
    private readonly drivers: ChannelDriverRegistry,
    private readonly headers: ProtectedHeaderOpener,
    private readonly templates: TemplateSecretsService,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.claims = attempts.common;
  }

  async send(claimed: ClaimedAttempt, deadlineMs: number): Promise<TryOutcome> {
    const { channelType, channelEnabled, tryNumber, deliveredTo } = claimed;
    if (!channelEnabled) return failedTry('refused', 'channel_disabled');
    // A newer version of the service supports this type, and its workers will send the attempt.
    if (!isChannelType(channelType)) return failedTry('unavailable', 'unsupported_channel_type');
    const stored = this.drivers.stored(channelType, claimed.configuration);
    if (stored === null) return failedTry('refused', 'destination_configuration_invalid');
    const began = performance.now();
    try {
      const { driver, configuration } = stored;
      const { template } = configuration;
      // The template is read before the headers, whose reading checks that the channel is still the claimed one.
      const opened = template === undefined ? null : await this.templates.open(claimed, template);
      const headers = await this.headers.open(claimed, opened !== null && opened.confidential.length > 0);
      // Reading the secrets has used part of the lease.
      const leftMs = deadlineMs - (performance.now() - began);
      if (leftMs <= 0) return failedTry('unavailable', 'lease_too_short');
      const notification = notificationOf(claimed);
      const message = {
        notification,
        configuration,
        tryNumber,
        protectedHeaders: headers.values,
        signingKeys: headers.signingKeys,
        confidential: [...headers.confidential, ...(opened?.confidential ?? [])],
        rendered:
          template === undefined || opened === null
            ? null
            : renderTemplate(template, this.valuesOf(claimed, notification), opened.parameters),
        deliveredTo,
      };
      const [outcome] = await Promise.all([driver.deliver(message, leftMs), headers.noteUse(), opened?.noteUse()]);
      return outcome;
    } catch (error) {
      // The attempt is claimed again later, with the address and the headers of that time.
      if (error instanceof ChannelChanged) return failedTry('unavailable', 'channel_changed');
      if (error instanceof UnbuildableHeader) return failedTry('refused', 'protected_header_invalid');
      if (error instanceof UnbuildableTemplate) return failedTry('refused', 'template_invalid');
      if (error instanceof UnreadableSigningSecret) return failedTry('refused', 'signing_secret_unreadable');
      if (error instanceof CryptographyUnavailableError) return failedTry('unavailable', 'cryptography_unavailable');
      if (error instanceof DecryptionError) return failedTry('refused', 'protected_header_unreadable');
      throw error;
    }
  }

  private valuesOf(claimed: ClaimedAttempt, { event, rule }: Notification): TemplateValues {
    const { projectId, project, kind, tryNumber: attempt } = claimed;
    const { publicAppUrl } = this.config.http;
    const delivery = { projectId, deliveryId: claimed.id, attempt };
    if (kind === 'test') return exampleValues(delivery, publicAppUrl);
    const text = (of: Record<string, unknown> | null, name: string): string | null => {
      const value = of?.[name];
      return typeof value === 'string' ? value : null;
    };
    const source = {
      ...delivery,
      project,
      alertId: text(event, 'alert_event_id'),
      message: text(event, 'message'),
      severity: text(event, 'severity') ?? text(rule, 'severity'),
      status: text(event, 'status'),
      rule: text(rule, 'name'),
      eventId: text(event, 'id'),
      eventType: text(event, 'type'),
      source: text(event, 'source'),
      payload: event?.payload ?? null,
      group: event?.group ?? null,
      eventMessage: text(event, 'event_message'),
      eventAt: text(event, 'event_at'),
      createdAt: text(event, 'created_at'),
    };
    return templateValues(source, publicAppUrl);
  }

  recordLoss(claimed: ClaimedAttempt, outcome: TryOutcome): Promise<void> {
    return this.attempts.recordLoss(claimed, outcome);
  }
}

function wakeUps(lanes: readonly SendingLane[], queue: JobQueue): Promise<void>[] {
  const named = lanes.map(({ tenant, lane }) => ({ project_id: tenant, channel_id: lane }));
  const added: Promise<void>[] = [];
  for (let at = 0; at < named.length; at += MOST_LANES) {
    added.push(queue.add(deliveryWakeJob, { lanes: named.slice(at, at + MOST_LANES) }));
  }
  return added;
}

function notificationOf(attempt: ClaimedAttempt): Notification {
  return {
    id: attempt.parentAttemptId ?? attempt.id,
    type: attempt.kind,
    attempt_id: attempt.id,
    project_id: attempt.projectId,
    channel_id: attempt.channelId,
    rule: attempt.rule,
    event: attempt.event === null ? null : (parseExact(attempt.event) as Record<string, unknown>),
    created_at: attempt.createdAt.toISOString(),
  };
}
