import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../platform/clock/index.js';
import type { Db } from '../../platform/database/database.js';
import { NoticeBus } from '../../platform/database/notices.js';
import { SessionsRepository } from './sessions.repository.js';

const CHANNEL = 'session_revoked';
/** How long another instance may trust what it read when a notice gets lost (DECISIONS 2: 5 seconds). */
const TRUST_MS = 4_000;
const MAX_ENTRIES = 50_000;

/** Remembers which sessions live, so that a bearer check mostly costs no query; revocations travel as notices. */
@Injectable()
export class SessionLiveness implements OnModuleInit, OnModuleDestroy {
  private readonly aliveUntil = new Map<string, number>();
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly notices: NoticeBus,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.unsubscribe = this.notices.subscribe(CHANNEL, (sessionId) => this.forget(sessionId));
    this.notices.onReconnect(() => this.aliveUntil.clear());
  }

  onModuleDestroy(): void {
    this.unsubscribe?.();
  }

  async isAlive(sessionId: string, userId: string): Promise<boolean> {
    const now = this.clock.now().getTime();
    const key = `${sessionId} ${userId}`;
    if ((this.aliveUntil.get(key) ?? 0) > now) return true;
    const alive = await this.sessions.isAlive(sessionId, userId);
    if (alive) {
      if (this.aliveUntil.size >= MAX_ENTRIES) this.aliveUntil.clear();
      this.aliveUntil.set(key, now + TRUST_MS);
    }
    return alive;
  }

  /** Tells every instance, with the transaction that revokes. */
  async announceRevoked(sessionId: string, tx: Db): Promise<void> {
    await this.notices.publish(CHANNEL, sessionId, tx);
  }

  /** At once on this instance, after the commit. */
  forget(sessionId: string): void {
    for (const key of this.aliveUntil.keys()) if (key.startsWith(sessionId)) this.aliveUntil.delete(key);
  }
}
