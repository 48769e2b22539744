import { Inject, Injectable } from '@nestjs/common';
import type { ProjectId, ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { AttemptsRepository } from './attempts/attempts.repository.js';
import { ChannelsRepository } from './channels/channels.repository.js';
import { DELIVERY_ENGINE, type DeliveryEngine } from './engine/attempt.outbox.js';

/** A rule has matched. `rule` and `event` are what receivers read, as they are now. */
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
}

/** The same for one channel. */
export interface RuleMatch extends RuleMatches {
  readonly channelId: string;
}

/** How other modules have notifications delivered: rows in their own transaction, sent after its commit. */
@Injectable()
export class DeliveryRequestService {
  constructor(
    private readonly channels: ChannelsRepository,
    private readonly attempts: AttemptsRepository,
    @Inject(DELIVERY_ENGINE) private readonly engine: DeliveryEngine,
  ) {}

  /** The ids that are no channels of the project; the others are held against deletion while the transaction lasts. */
  async unknown(scope: Pick<ProjectScope, 'projectId'>, ids: readonly string[], tx: Db): Promise<string[]> {
    const known = new Set(ids.length === 0 ? [] : (await this.channels.shareAll(scope, ids, tx)).map(({ id }) => id));
    return ids.filter((id) => !known.has(id));
  }

  /** {@link ruleMatches} of one channel. @returns the attempt's id; null when the project has no such channel */
  async ruleMatch(tx: Db, { channelId, ...match }: RuleMatch): Promise<string | null> {
    const [id = null] = await this.ruleMatches(tx, match, [channelId]);
    return id;
  }

  /**
   * Makes an attempt for each channel in the caller's transaction, which must be one of `Database.transaction`, with as
   * many statements for many as for one; workers are woken once it has committed. Channels that the project does not have
   * are passed over; a disabled one gets its attempt too, failed and not sent.
   * @returns the ids of the attempts
   */
  async ruleMatches(tx: Db, match: RuleMatches, channelIds: readonly string[]): Promise<string[]> {
    if (channelIds.length === 0) return [];
    const { projectId, rule, event, ruleId, eventId, sourceId, evaluationId, fingerprint } = match;
    const channels = await this.channels.shareAll(match, channelIds, tx);
    const made = channels.map(({ id: channelId, enabled }) => ({
      id: newId(),
      channelId,
      skippedFor: enabled ? null : 'channel_disabled',
    }));
    const common = { kind: 'rule_match' as const, rule, event, ruleId, eventId, sourceId, evaluationId, fingerprint };
    await this.attempts.insertAll(match, common, made, tx);
    const due = made.filter(({ skippedFor }) => skippedFor === null);
    this.engine.wakeAfterCommit(
      due.map(({ channelId }) => ({ tenant: projectId, lane: channelId })),
      tx,
    );
    return made.map(({ id }) => id);
  }
}
