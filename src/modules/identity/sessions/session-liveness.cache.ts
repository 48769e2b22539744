import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { UserId } from '../../access/index.js';
import { CONFIG, type Config } from '../../../config/index.js';
import { Clock } from '../../../platform/clock/index.js';
import type { Db } from '../../../platform/database/database.js';
import { NotificationBus } from '../../../platform/database/notification-bus.js';
import { type SessionState, SessionsRepository } from './sessions.repository.js';

const CHANNEL = 'session_revoked';
const FACTORS_CHANNEL = 'factors_changed';
/**
 * How long another instance may use a cached result when a revocation notification is lost. Revocations must take
 * effect within 5 seconds on every instance.
 */
const TRUST_MS = 4_000;
const MAX_ENTRIES = 50_000;
/** Ids per notification. At 36 characters an id, a notification stays below its limit of 7900 bytes. */
const MAX_IDS_PER_NOTIFICATION = 200;

/**
 * Caches which sessions are active, so that most bearer checks need no query. Revocations reach other instances as
 * PostgreSQL notifications. Where the deployment requires a second factor, the cache also knows which sessions lack it,
 * and changes of an account's factors reach other instances in the same way.
 */
@Injectable()
export class SessionLivenessCache implements OnModuleInit, OnModuleDestroy {
  /** The user id of each active session that has the required factors, by session id. */
  private readonly complete: LRUCache<string, string>;
  /** The user id of each active session that lacks the second factor. Undefined when none is required. */
  private readonly incomplete: LRUCache<string, string> | undefined;
  /**
   * Counts invalidations. A query result that was read before an invalidation is not cached after that invalidation.
   */
  private epoch = 0;
  private readonly unsubscribers: (() => void)[] = [];
  private readonly handlers = new Set<(sessionIds: readonly string[]) => void>();
  private readonly factorHandlers = new Set<(userId: string) => void>();

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly notifications: NotificationBus,
    clock: Clock,
    @Inject(CONFIG) { signInPolicy }: Config,
  ) {
    const options = {
      max: MAX_ENTRIES,
      ttl: TRUST_MS,
      ttlResolution: 0,
      perf: { now: () => clock.now().getTime() },
    };
    this.complete = new LRUCache(options);
    if (signInPolicy.requiresSecondFactor) this.incomplete = new LRUCache(options);
  }

  onModuleInit(): void {
    this.unsubscribers.push(
      this.notifications.subscribe(CHANNEL, (ids) => this.forget(ids.split(','))),
      this.notifications.subscribe(FACTORS_CHANNEL, (userId) => this.forgetFactors(userId)),
    );
    this.notifications.onReconnect(() => {
      this.epoch += 1;
      this.complete.clear();
      this.incomplete?.clear();
    });
  }

  onModuleDestroy(): void {
    for (const unsubscribe of this.unsubscribers) unsubscribe();
  }

  /** Returns whether the session is active and has the required factors. */
  async isComplete(sessionId: string, userId: UserId): Promise<boolean> {
    return (await this.stateOf(sessionId, userId)) === 'complete';
  }

  /** Returns the state of the session. `incomplete` only occurs where the deployment requires a second factor. */
  async stateOf(sessionId: string, userId: UserId): Promise<SessionState> {
    if (this.complete.get(sessionId) === userId) return 'complete';
    if (this.incomplete?.get(sessionId) === userId) return 'incomplete';
    const { epoch } = this;
    const state = await this.read(sessionId, userId);
    if (epoch === this.epoch && state !== 'ended') this.cacheOf(state)?.set(sessionId, userId);
    return state;
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

  /**
   * Calls the handler with the id of a user whose factors have changed, where the deployment requires a second factor.
   * @returns a function that removes the handler
   */
  onFactorsChanged(handler: (userId: string) => void): () => void {
    this.factorHandlers.add(handler);
    return () => this.factorHandlers.delete(handler);
  }

  /** Notifies every instance when the transaction that changes the user's factors commits. */
  async announceFactors(userId: UserId, tx: Db): Promise<void> {
    if (this.incomplete !== undefined) await this.notifications.publish(FACTORS_CHANNEL, userId, tx);
  }

  /**
   * Removes the user's sessions from the cache of this instance, so that their states are read again. Callers call this
   * after the commit.
   */
  forgetFactors(userId: string): void {
    if (this.incomplete === undefined) return;
    this.epoch += 1;
    for (const cache of [this.complete, this.incomplete])
      for (const [sessionId, owner] of cache.entries()) if (owner === userId) cache.delete(sessionId);
    for (const handler of this.factorHandlers) handler(userId);
  }

  /** Notifies every instance when the transaction that revokes the sessions commits. */
  async announceRevoked(sessionIds: readonly string[], tx: Db): Promise<void> {
    for (let at = 0; at < sessionIds.length; at += MAX_IDS_PER_NOTIFICATION)
      await this.notifications.publish(CHANNEL, sessionIds.slice(at, at + MAX_IDS_PER_NOTIFICATION).join(','), tx);
  }

  /**
   * Removes the sessions from the cache of this instance and calls the handlers. Callers call this after the commit.
   */
  forget(sessionIds: readonly string[]): void {
    this.epoch += 1;
    for (const id of sessionIds) {
      this.complete.delete(id);
      this.incomplete?.delete(id);
    }
    for (const handler of this.handlers) handler(sessionIds);
  }

  private async read(sessionId: string, userId: UserId): Promise<SessionState> {
    if (this.incomplete !== undefined) return this.sessions.stateOf(sessionId, userId);
    return (await this.sessions.isAlive(sessionId, userId)) ? 'complete' : 'ended';
  }

  private cacheOf(state: 'complete' | 'incomplete'): LRUCache<string, string> | undefined {
    return state === 'complete' ? this.complete : this.incomplete;
  }
}
