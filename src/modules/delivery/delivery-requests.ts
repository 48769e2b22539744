import { Injectable } from '@nestjs/common';
import type { Db } from '../../platform/database/database.js';
import { newId } from '../../platform/ids/index.js';
import { AttemptsRepository } from './attempts/attempts.repository.js';
import { ChannelsRepository } from './channels/channels.repository.js';
import { DeliveryWakes } from './engine/delivery-wakes.js';

/** A rule has matched, and one channel is to be told. `rule` and `event` are what receivers read, as they are now. */
export interface RuleMatch {
  readonly projectId: string;
  readonly channelId: string;
  readonly rule: Readonly<Record<string, unknown>> | null;
  readonly event: Readonly<Record<string, unknown>> | null;
  readonly ruleId: string | null;
  readonly eventId?: string | null;
  /** The Event Source of the event. */
  readonly sourceId?: string | null;
  readonly evaluationId?: string | null;
}

/** How other modules have notifications delivered: a row in their own transaction, sent after its commit. */
@Injectable()
export class DeliveryRequests {
  constructor(
    private readonly channels: ChannelsRepository,
    private readonly attempts: AttemptsRepository,
    private readonly wakes: DeliveryWakes,
  ) {}

  /**
   * Makes the attempt in the caller's transaction, which must be one of `Database.transaction`; a worker is woken once
   * it has committed. A disabled channel gets its attempt too, failed and not sent.
   * @returns the attempt's id; null when the project has no such channel
   */
  async ruleMatch(tx: Db, match: RuleMatch): Promise<string | null> {
    const { projectId, channelId, rule, event, ruleId, eventId, sourceId, evaluationId } = match;
    const channel = await this.channels.share(match, channelId, tx);
    if (channel === null) return null;
    const attempt = {
      id: newId(),
      channelId,
      kind: 'rule_match' as const,
      rule,
      event,
      ruleId,
      eventId,
      sourceId,
      evaluationId,
    };
    if (channel.enabled) {
      await this.attempts.insert(match, attempt, tx);
      this.wakes.afterCommit({ attemptId: attempt.id, projectId, channelId }, tx);
    } else {
      await this.attempts.insertSkipped(match, attempt, 'channel_disabled', tx);
    }
    return attempt.id;
  }
}
