import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { UserId } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import type { Db } from '../../../platform/database/database.js';
import { NoticeBus } from '../../../platform/database/notices.js';
import { SessionsRepository } from './sessions.repository.js';

const CHANNEL = 'session_revoked';
/** How long another instance may trust what it read when a notice gets lost (DECISIONS 2: 5 seconds). */
const TRUST_MS = 4_000;
const MAX_ENTRIES = 50_000;
/** Identifiers of 36 characters in one notice, well below its 7900 bytes. */
const IDS_IN_A_NOTICE = 200;

/** Remembers which sessions live, so that a bearer check mostly costs no query; revocations travel as notices. */
@Injectable()
export class SessionLivenessCache implements OnModuleInit, OnModuleDestroy {
  /** The users of sessions that live. */
  private readonly alive: LRUCache<string, string>;
  /** Counts what was forgotten: an answer read before a revocation is not remembered after it. */
  private epoch = 0;
  private unsubscribe: (() => void) | undefined;
  private readonly handlers = new Set<(sessionIds: readonly string[]) => void>();

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly notices: NoticeBus,
    clock: Clock,
  ) {
    this.alive = new LRUCache({
      max: MAX_ENTRIES,
      ttl: TRUST_MS,
      ttlResolution: 0,
      perf: { now: () => clock.now().getTime() },
    });
  }

  onModuleInit(): void {
    this.unsubscribe = this.notices.subscribe(CHANNEL, (ids) => this.forget(ids.split(',')));
    this.notices.onReconnect(() => {
      this.epoch += 1;
      this.alive.clear();
    });
  }

  onModuleDestroy(): void {
    this.unsubscribe?.();
  }

  async isAlive(sessionId: string, userId: UserId): Promise<boolean> {
    if (this.alive.get(sessionId) === userId) return true;
    const { epoch } = this;
    const isAlive = await this.sessions.isAlive(sessionId, userId);
    if (isAlive && epoch === this.epoch) this.alive.set(sessionId, userId);
    return isAlive;
  }

  /**
   * Calls the handler with sessions that ended, for what outlives a request. Notices may get lost with their connection, so
   * whoever relies on it asks again from time to time.
   * @returns the way to stop
   */
  onRevoked(handler: (sessionIds: readonly string[]) => void): () => void {
    this.handlers.add(handler);
    return () => this.handlers.delete(handler);
  }

  /** Tells every instance, with the transaction that revokes. */
  async announceRevoked(sessionIds: readonly string[], tx: Db): Promise<void> {
    for (let at = 0; at < sessionIds.length; at += IDS_IN_A_NOTICE)
      await this.notices.publish(CHANNEL, sessionIds.slice(at, at + IDS_IN_A_NOTICE).join(','), tx);
  }

  /** At once on this instance, after the commit. */
  forget(sessionIds: readonly string[]): void {
    this.epoch += 1;
    for (const id of sessionIds) this.alive.delete(id);
    for (const handler of this.handlers) handler(sessionIds);
  }
}
