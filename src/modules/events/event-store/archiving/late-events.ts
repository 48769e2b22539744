import type { Logger } from '@nestjs/common';
import type { ProjectLocator, ReplicatedEventsRepository } from '../replication/replicated-events.repository.js';
import type { LateEventsRepository } from './late-events.repository.js';
import type { StoredMonth } from './months.repository.js';

/** Pages that one statement reads. 100 pages are 800 kB, which hold hundreds of events, or thousands of small ones. */
const PAGES_A_STEP = 100;
/** Events that are compared and removed together. An event may have a megabyte outside its page. */
const EVENTS_A_STEP = 1_000;
/** The time limit of a round. The next round continues at the same page. */
const SWEEP_MS = 300_000;

/**
 * Removes late events from PostgreSQL: events that arrived after their month was archived, or whose month never had a
 * table. Each event is removed by its id, once ClickHouse has it and no work is left for it.
 */
export class LateEvents {
  private page = 0;

  constructor(
    private readonly stored: ReplicatedEventsRepository,
    private readonly logger: Logger,
  ) {}

  /**
   * @param before events before this instant are archived, and every process uses this instant
   * @param apart detached months. Their late events stay until the month is dropped, because they are compared with it
   */
  async sweep(late: LateEventsRepository, before: Date, apart: readonly StoredMonth[]): Promise<void> {
    if (await late.isFarBehind()) return;
    let [removed, missing] = [0, 0];
    let first: ProjectLocator | undefined;
    const until = performance.now() + SWEEP_MS;
    try {
      while (performance.now() < until) {
        const { events, pages } = await late.among(before, apart, { from: this.page, pages: PAGES_A_STEP });
        for (let next = 0; next < events.length; next += EVENTS_A_STEP) {
          const step = await this.remove(late, events.slice(next, next + EVENTS_A_STEP));
          if (step === null) return;
          removed += step.removed;
          missing += step.missing.length;
          first ??= step.missing[0];
        }
        this.page += PAGES_A_STEP;
        if (this.page < pages) continue;
        this.page = 0;
        break;
      }
    } finally {
      this.tell(removed, missing, first);
    }
  }

  /** @returns null when the replica is not complete */
  private async remove(
    late: LateEventsRepository,
    events: readonly ProjectLocator[],
  ): Promise<{ readonly removed: number; readonly missing: readonly ProjectLocator[] } | null> {
    const state = await late.state(events);
    if (state === null) return null;
    // An event that was not queued when `state` was read is in a block up to `state.block`.
    const done = events.filter(({ id }) => !state.waiting.has(id));
    if (done.length === 0) return { removed: 0, missing: [] };
    const there = await this.stored.among(done, state.block);
    const replicated = done.filter((event) => there.has(event));
    return {
      removed: replicated.length === 0 ? 0 : await late.remove(replicated, state.block),
      missing: done.filter((event) => !there.has(event)),
    };
  }

  private tell(removed: number, missing: number, first: ProjectLocator | undefined): void {
    if (removed > 0) this.logger.log(`removed ${removed} events of cold months, which ClickHouse has`);
    if (first === undefined) return;
    this.logger.error(
      `${missing} events of cold months stay: ClickHouse lacks them, the first is ${first.id} of the project ${first.project} ` +
        `at ${first.at.toISOString()}`,
    );
  }
}
