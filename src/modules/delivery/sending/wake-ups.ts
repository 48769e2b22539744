import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Database, Db } from '../../../platform/database/database.js';
import type { JobQueue } from '../../../platform/queue/index.js';
import type { ClaimedRow } from './outbox-table.js';
import type { SendingProfile } from './outbox.js';
import type { SendingLane } from './slots.js';

/**
 * Wake-ups are gathered for this time. The first one is sent at once. Wake-ups that follow before the queue has
 * accepted it, and for this time after that, are sent together. So a burst becomes a few jobs, and the slower the queue
 * is, the fewer.
 */
const GATHER_MS = 20;

/** Wakes workers when rows are due. Never fails: the next poll finds every row without a wake-up. */
export class WakeUps<C extends ClaimedRow> {
  private readonly logger: Logger;
  /** Lanes whose wake-ups are not sent yet, by name. */
  private readonly waiting = new Map<string, SendingLane>();
  private isGathering = false;
  private stopped = false;

  constructor(
    private readonly profile: Pick<SendingProfile<C>, 'log' | 'wake'>,
    private readonly database: Database,
    private readonly queue: JobQueue,
  ) {
    this.logger = new Logger(profile.log.context);
  }

  /** Wakes workers for these lanes once the transaction that inserted rows for them has committed. */
  afterCommit(lanes: readonly SendingLane[], tx: Db): void {
    if (lanes.length === 0) return;
    this.database.afterCommit(tx, () => {
      for (const each of lanes) this.waiting.set(each.lane, each);
      if (!this.isGathering) void this.sendUntilAllIsTold();
    });
  }

  /** Wakes workers for these lanes at once. @returns whether the queue accepted all jobs */
  async now(lanes: readonly SendingLane[]): Promise<boolean> {
    const taken = await Promise.all(this.profile.wake(lanes, this.queue).map((added) => this.isTaken(added)));
    return taken.every((each) => each);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.send();
  }

  private async sendUntilAllIsTold(): Promise<void> {
    this.isGathering = true;
    while (this.waiting.size > 0 && !this.stopped) {
      await this.send();
      await pause(GATHER_MS);
    }
    this.isGathering = false;
  }

  private async send(): Promise<void> {
    const lanes = [...this.waiting.values()];
    this.waiting.clear();
    await this.now(lanes);
  }

  private isTaken(added: Promise<void>): Promise<boolean> {
    return added.then(
      () => true,
      (error: unknown) => {
        this.logger.debug(`the queue did not take a wake-up: ${String(error)}`);
        return false;
      },
    );
  }
}
