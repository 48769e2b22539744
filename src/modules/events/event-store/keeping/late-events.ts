import type { Logger } from '@nestjs/common';
import type { ProjectPlace, StoredEventsRepository } from '../shipping/stored-events.repository.js';
import type { LateEventsRepository } from './late-events.repository.js';
import type { StoredMonth } from './months.repository.js';

/** Looked through by one statement: 800 kB, some hundreds of events, some thousands where they are small. */
const PAGES_A_STEP = 100;
/** Compared and removed together: each may have a megabyte beside its page. */
const EVENTS_A_STEP = 1_000;
/** Of a round; the next one goes on where it was. */
const SWEEP_MS = 300_000;

/**
 * Has PostgreSQL forget events that came late for cold months, or lie among all others since their month never had a table: each
 * by its id, once ClickHouse has it and nothing is to be done with it any more.
 */
export class LateEvents {
  private page = 0;

  constructor(
    private readonly stored: StoredEventsRepository,
    private readonly logger: Logger,
  ) {}

  /**
   * @param before every process knows that older ones are cold
   * @param apart months that were taken out and are compared with what came late for them
   */
  async sweep(late: LateEventsRepository, before: Date, apart: readonly StoredMonth[]): Promise<void> {
    if (await late.isFarBehind()) return;
    let [removed, missing] = [0, 0];
    let first: ProjectPlace | undefined;
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

  /** Null: the copy is not whole. */
  private async remove(
    late: LateEventsRepository,
    events: readonly ProjectPlace[],
  ): Promise<{ readonly removed: number; readonly missing: readonly ProjectPlace[] } | null> {
    const state = await late.state(events);
    if (state === null) return null;
    // What did not wait at that moment was in blocks up to this one.
    const done = events.filter(({ id }) => !state.waiting.has(id));
    if (done.length === 0) return { removed: 0, missing: [] };
    const there = await this.stored.among(done, state.block);
    const copied = done.filter((event) => there.has(event));
    return {
      removed: copied.length === 0 ? 0 : await late.remove(copied, state.block),
      missing: done.filter((event) => !there.has(event)),
    };
  }

  private tell(removed: number, missing: number, first: ProjectPlace | undefined): void {
    if (removed > 0) this.logger.log(`removed ${removed} events of cold months, which ClickHouse has`);
    if (first === undefined) return;
    this.logger.error(
      `${missing} events of cold months stay: ClickHouse lacks them, the first is ${first.id} of the project ${first.project} ` +
        `at ${first.at.toISOString()}`,
    );
  }
}
