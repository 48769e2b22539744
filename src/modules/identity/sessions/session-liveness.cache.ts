import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { UserId } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import type { Db } from '../../../platform/database/database.js';
import { NoticeBus } from '../../../platform/database/notices.js';
import { SessionsRepository } from './sessions.repository.js';

const CHANNEL = 'session_revoked';
/**
 * How long another instance may use a cached result when a revocation notification is lost. Revocations must take
 * effect within 5 seconds on every instance.
 */
const TRUST_MS = 4_000;
const MAX_ENTRIES = 50_000;
/** Ids per notification. At 36 characters an id, a notification stays below its limit of 7900 bytes. */
const IDS_IN_A_NOTICE = 200;

/**
 * Caches which sessions are active, so that most bearer checks need no query. Revocations reach other instances as
 * PostgreSQL notifications.
 */
@Injectable()
export class SessionLivenessCache implements OnModuleInit, OnModuleDestroy {
  /** The user id of each active session, by session id. */
  private readonly alive: LRUCache<string, string>;
  /**
   * Counts invalidations. A query result that was read before an invalidation is not cached after that invalidation.
   */
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
   * Calls the handler with the ids of sessions that were revoked. Long-lived connections use this. Notifications are
   * lost while the connection is down, so a subscriber must also check its sessions from time to time.
   * @returns a function that removes the handler
   */
  onRevoked(handler: (sessionIds: readonly string[]) => void): () => void {
    this.handlers.add(handler);
    return () => this.handlers.delete(handler);
  }

  /** Notifies every instance when the transaction that revokes the sessions commits. */
  async announceRevoked(sessionIds: readonly string[], tx: Db): Promise<void> {
    for (let at = 0; at < sessionIds.length; at += IDS_IN_A_NOTICE)
      await this.notices.publish(CHANNEL, sessionIds.slice(at, at + IDS_IN_A_NOTICE).join(','), tx);
  }

  /**
   * Removes the sessions from the cache of this instance and calls the handlers. Callers call this after the commit.
   */
  forget(sessionIds: readonly string[]): void {
    this.epoch += 1;
    for (const id of sessionIds) this.alive.delete(id);
    for (const handler of this.handlers) handler(sessionIds);
  }
}
