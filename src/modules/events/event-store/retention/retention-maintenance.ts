import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { PastMonthsReader } from './past-months.reader.js';
import { RetainedEvents } from './retained-events.js';
import { RetentionRepository } from './retention.repository.js';
import { DUE_FOR_MS, DebouncedWatermark } from './debounced-watermark.js';

/** Limits of the removal from the default partition: pages (4 MB) and rows per statement, and the time per round. */
const PAGES_A_STEP = 500;
const ROWS_A_STEP = 1_000;
const SWEEP_MS = 5_000;
/**
 * After a complete pass over the default partition, the next pass starts after this time. Meanwhile events with old
 * timestamps may arrive.
 */
const REST_MS = 3_600_000;

/**
 * Removes whole months of events after the configured days: drops their partitions, and removes their rows from the
 * default partition.
 */
@Injectable()
export class RetentionMaintenance extends MaintenanceTask {
  /**
   * The start of the oldest month within the retention limit. A new value is used only after it was reported for an
   * hour.
   */
  readonly due = new DebouncedWatermark(DUE_FOR_MS);
  private readonly logger = new Logger('retention');
  private readonly days: number | undefined;
  /** The current pass over the default partition removes events before this instant. */
  private before: Date | undefined;
  private page = 0;
  private restsUntil = -Infinity;

  constructor(
    private readonly retention: RetentionRepository,
    private readonly retained: RetainedEvents,
    private readonly months: PastMonthsReader,
    @Inject(CONFIG) { eventRetentionDays }: Config,
  ) {
    super();
    this.days = eventRetentionDays;
  }

  /** @returns the number of removed months and events */
  async maintain(): Promise<number> {
    if (this.days !== undefined) await this.advance(this.days);
    const before = await this.retained.endedBefore();
    return before === null ? 0 : (await this.dropMonths(before)) + (await this.sweep(before));
  }

  private async advance(days: number): Promise<void> {
    const from = this.due.of(await this.months.before(days));
    if (from === null || !(await this.retention.advance(from))) return;
    this.retained.forget();
    this.logger.log(`events before ${from.toISOString()} are not kept any more`);
  }

  private async dropMonths(before: Date): Promise<number> {
    let dropped = 0;
    for (const name of await this.retention.months()) {
      if (endOf(name) > before) continue;
      if (!(await this.retention.dropMonth(name))) {
        // Dropping any month needs the same lock, and waiting for it blocks all requests. So the other months wait for
        // the next round.
        this.logger.warn(`${name} was not dropped: events are read or stored all the time; the next round tries again`);
        break;
      }
      dropped += 1;
      this.logger.log(`dropped ${name}`);
    }
    return dropped;
  }

  private async sweep(before: Date): Promise<number> {
    if (this.before?.getTime() !== before.getTime()) {
      this.before = before;
      this.page = 0;
      this.restsUntil = -Infinity;
    }
    if (performance.now() < this.restsUntil) return 0;
    let removed = 0;
    const until = performance.now() + SWEEP_MS;
    while (performance.now() < until) {
      const swept = await this.retention.sweep(before, this.page, PAGES_A_STEP, ROWS_A_STEP);
      removed += swept.removed;
      if (swept.removed === ROWS_A_STEP) continue;
      this.page += PAGES_A_STEP;
      if (this.page < swept.pages) continue;
      this.page = 0;
      this.restsUntil = performance.now() + REST_MS;
      break;
    }
    return removed;
  }
}

/** Returns the end of the month, for example 1 April for `events_2026_03`. */
function endOf(name: string): Date {
  const [, year, month] = name.split('_').map(Number) as [number, number, number];
  return new Date(Date.UTC(year, month, 1));
}
