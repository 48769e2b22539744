import { Inject, Injectable } from '@nestjs/common';
import type { ProjectId, ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import type { Traceparent } from '../../../platform/telemetry/index.js';
import { newId } from '../../../platform/ids/index.js';
import { AttemptsRepository } from './attempts/attempts.repository.js';
import { ChannelsRepository } from './channels/channels.repository.js';
import { DELIVERY_ENGINE, type DeliveryEngine } from './engine/attempt.outbox.js';

/** A match of a rule. `rule` and `event` go into the notification as they are now. */
export interface RuleMatches {
  readonly projectId: ProjectId;
  readonly rule: Readonly<Record<string, unknown>> | null;
  readonly event: Readonly<Record<string, unknown>> | null;
  readonly ruleId: string | null;
  readonly eventId?: string | null;
  /** The Event Source of the event. */
  readonly sourceId?: string | null;
  readonly evaluationId?: string | null;
  /** Attempts of one fingerprint reach a channel in order. */
  readonly fingerprint?: string | null;
  /** The trace that the deliveries continue. */
  readonly traceparent?: Traceparent | null;
}

/** A match of a rule that notifies one channel. */
export interface RuleMatch extends RuleMatches {
  readonly channelId: string;
}

/**
 * Delivers notifications for other modules. It inserts attempts in the transaction of the caller, and they are sent
 * after its commit.
 */
@Injectable()
export class DeliveryRequestService {
  constructor(
    private readonly channels: ChannelsRepository,
    private readonly attempts: AttemptsRepository,
    @Inject(DELIVERY_ENGINE) private readonly engine: DeliveryEngine,
  ) {}

  /**
   * Returns the ids that are not channels of the project. The given channels that exist cannot be deleted until the
   * transaction ends.
   */
  async unknown(scope: Pick<ProjectScope, 'projectId'>, ids: readonly string[], tx: Db): Promise<string[]> {
    const known = new Set(ids.length === 0 ? [] : (await this.channels.shareAll(scope, ids, tx)).map(({ id }) => id));
    return ids.filter((id) => !known.has(id));
  }

  /**
   * Does the same as {@link ruleMatches} for one channel.
   * @returns the id of the attempt; null when the project has no such channel
   */
  async ruleMatch(tx: Db, { channelId, ...match }: RuleMatch): Promise<string | null> {
    const [id = null] = await this.ruleMatches(tx, match, [channelId]);
    return id;
  }

  /**
   * Inserts an attempt for each channel. Workers are woken after the commit of the transaction. The number of
   * statements does not depend on the number of channels. Channels that the project does not have are skipped. A
   * disabled channel gets a failed attempt, which is not sent.
   * @param tx the transaction of the caller, which `Database.transaction` began
   * @returns the ids of the attempts
   */
  async ruleMatches(tx: Db, match: RuleMatches, channelIds: readonly string[]): Promise<string[]> {
    if (channelIds.length === 0) return [];
    const { projectId, rule, event, ruleId, eventId, sourceId, evaluationId, fingerprint, traceparent } = match;
    const channels = await this.channels.shareAll(match, channelIds, tx);
    const made = channels.map(({ id: channelId, enabled }) => ({
      id: newId(),
      channelId,
      skippedFor: enabled ? null : 'channel_disabled',
    }));
    const ids = { ruleId, eventId, sourceId, evaluationId };
    const common = { kind: 'rule_match' as const, rule, event, ...ids, fingerprint, traceparent };
    await this.attempts.insertAll(match, common, made, tx);
    const due = made.filter(({ skippedFor }) => skippedFor === null);
    this.engine.wakeAfterCommit(
      due.map(({ channelId }) => ({ tenant: projectId, lane: channelId })),
      tx,
    );
    return made.map(({ id }) => id);
  }
}
