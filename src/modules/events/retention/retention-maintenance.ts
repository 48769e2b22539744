import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';
import { RetainedEvents } from './retained-events.js';
import { RetentionRepository } from './retention.repository.js';

const DAY_MS = 86_400_000;
/** Of the rows without a month of their own: 4 MB a statement, 80 MB a round. */
const PAGES_A_STEP = 500;
const STEPS_A_ROUND = 20;
/** Until all of them are looked through again, for what has come since with old timestamps. */
const REST_MS = 3_600_000;

/** Ends events after the configured days, in whole months: drops their partitions, and removes what lies beside these. */
@Injectable()
export class RetentionMaintenance extends MaintenanceTask {
  private readonly logger = new Logger('retention');
  private readonly days: number | undefined;
  private page = 0;
  private restsUntil = -Infinity;

  constructor(
    private readonly retention: RetentionRepository,
    private readonly retained: RetainedEvents,
    private readonly clock: Clock,
    @Inject(CONFIG) { eventRetentionDays }: Config,
  ) {
    super();
    this.days = eventRetentionDays;
  }

  /** @returns how many months and events were removed */
  async maintain(): Promise<number> {
    if (this.days !== undefined) await this.advance(this.days);
    const before = await this.retained.endedBefore();
    return before === null ? 0 : (await this.dropMonths(before)) + (await this.sweep(before));
  }

  private async advance(days: number): Promise<void> {
    const from = monthOf(new Date(this.clock.now().getTime() - days * DAY_MS));
    if (!(await this.retention.advance(from))) return;
    this.restsUntil = -Infinity;
    this.retained.forget();
    this.logger.log(`events before ${from.toISOString()} are not kept any more`);
  }

  private async dropMonths(before: Date): Promise<number> {
    let dropped = 0;
    for (const name of await this.retention.months()) {
      if (endOf(name) > before) continue;
      if (await this.retention.dropMonth(name)) {
        dropped += 1;
        this.logger.log(`dropped ${name}`);
      } else {
        this.logger.warn(`${name} was not dropped: its events are read or stored; the next round tries again`);
      }
    }
    return dropped;
  }

  private async sweep(before: Date): Promise<number> {
    if (performance.now() < this.restsUntil) return 0;
    let removed = 0;
    for (let step = 0; step < STEPS_A_ROUND; step += 1) {
      const swept = await this.retention.sweep(before, this.page, PAGES_A_STEP);
      removed += swept.removed;
      this.page += PAGES_A_STEP;
      if (this.page < swept.pages) continue;
      this.page = 0;
      this.restsUntil = performance.now() + REST_MS;
      break;
    }
    return removed;
  }
}

function monthOf(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
}

/** Of `events_2026_03`: the beginning of April. */
function endOf(name: string): Date {
  const [, year, month] = name.split('_').map(Number) as [number, number, number];
  return new Date(Date.UTC(year, month, 1));
}
