import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import type { ClickHouse } from '../../../../platform/clickhouse/index.js';
import { DATABASE_URL } from '../../../../platform/database/database.js';
import { HotEvents } from '../retention/hot-events.js';
import { HotMonthsReader } from '../retention/hot-months.reader.js';
import { PastMonthsReader } from '../retention/past-months.reader.js';
import { RetainedEvents } from '../retention/retained-events.js';
import { DUE_FOR_MS, DebouncedWatermark } from '../retention/debounced-watermark.js';
import { CLICKHOUSE_SERVER } from '../clickhouse-server.js';
import type { KeptSum } from '../replication/project-sums.repository.js';
import { isSameSum, ReplicatedEventsRepository } from '../replication/replicated-events.repository.js';
import { LateEvents } from './late-events.js';
import { archivedName, MonthsRepository, type StoredMonth } from './months.repository.js';

/**
 * Drops whole months of events from PostgreSQL once ClickHouse has them (EVENTS_HOT_DAYS). First the events of both
 * stores are compared, and the month is marked as archived. From then on no read uses PostgreSQL for it. When every
 * process has seen the mark, the table of the month is detached, compared again, and dropped. Events that arrive late
 * for the month are removed one by one. If the process ends in between, the next round continues.
 */
@Injectable()
export class MonthArchiver {
  /**
   * The start of the oldest month within EVENTS_HOT_DAYS. A new value is used only after it was reported for an hour.
   */
  readonly due = new DebouncedWatermark(DUE_FOR_MS);
  private readonly logger = new Logger('event-store');
  private readonly stored: ReplicatedEventsRepository | null;
  private readonly late: LateEvents | null;
  private readonly days: number | undefined;
  /** A month whose events differ is compared again after this time. Tests lower it. */
  restMs = 6 * 3_600_000;
  /** Maps a month to the end of its pause, on the monotonic clock of the process. */
  private readonly restsUntil = new Map<number, number>();

  constructor(
    @Inject(CONFIG) { eventsHotDays }: Config,
    @Inject(CLICKHOUSE_SERVER) server: ClickHouse | null,
    @Inject(DATABASE_URL) private readonly databaseUrl: string,
    private readonly months: HotMonthsReader,
    private readonly past: PastMonthsReader,
    private readonly hot: HotEvents,
    private readonly retained: RetainedEvents,
  ) {
    this.days = eventsHotDays;
    this.stored = server === null ? null : new ReplicatedEventsRepository(server);
    this.late = this.stored === null ? null : new LateEvents(this.stored, this.logger);
  }

  /** @returns the number of dropped months */
  async archiveMonths(): Promise<number> {
    if (this.stored === null) return 0;
    if (this.days === undefined && (await this.months.hotFrom()) === null) return 0;
    const kept = await MonthsRepository.open(this.databaseUrl);
    try {
      if (!(await kept.begin())) return 0;
      if (this.days !== undefined) await this.advance(this.days, kept, this.stored);
      const dropped = await this.drop(kept, this.stored);
      await kept.forgetEnded();
      await this.sweep(kept);
      return dropped;
    } finally {
      await kept.close();
    }
  }

  /** Marks the due months as archived, as far as ClickHouse has all of their events. */
  private async advance(days: number, kept: MonthsRepository, stored: ReplicatedEventsRepository): Promise<void> {
    const [target, hotFrom] = [this.due.of(await this.past.before(days)), await this.months.hotFrom()];
    if (target === null) return;
    const older = (await kept.all()).filter(({ isAttached, to }) => isAttached && to <= target);
    const fresh = older.filter(({ from }) => hotFrom === null || from >= hotFrom);
    if (fresh.length === 0) return;
    if (!(await kept.isReplicaComplete())) {
      this.logger.warn(
        'months stay in PostgreSQL: ClickHouse does not have every event; npm run migrate -- --event-store moves them',
      );
      return;
    }
    let archivedUntil: Date | undefined;
    for (const month of fresh) {
      if ((await this.sameSums(month, kept, stored)) === null) break;
      archivedUntil = month.to;
    }
    if (archivedUntil === undefined || !(await this.months.advance(archivedUntil))) return;
    this.hot.forget();
    this.logger.log(`events before ${archivedUntil.toISOString()} are read from ClickHouse alone from now on`);
  }

  private async drop(kept: MonthsRepository, stored: ReplicatedEventsRepository): Promise<number> {
    const [archivedBefore, endedBefore] = [await this.months.archivedBefore(), await this.retained.endedBefore()];
    if (archivedBefore === null) return 0;
    let dropped = 0;
    for (const month of await kept.all()) {
      const isEnded = endedBefore !== null && month.to <= endedBefore;
      // Retention drops an attached month that is past the retention limit. When EVENTS_HOT_DAYS is not set, no further
      // month is detached.
      if (month.to > archivedBefore || (month.isAttached && (isEnded || this.days === undefined))) continue;
      const taken = month.isAttached ? await this.takeOut(month, kept, stored) : month;
      if (taken === 'busy') break;
      if (taken === null) continue;
      const sums = isEnded ? [] : await this.sameSums(taken, kept, stored);
      if (sums === null) {
        if (!(await kept.attach(taken))) {
          this.logger.warn(
            `${taken.name} stays apart: events are read or stored all the time, or too many lie in no month; the next round tries again`,
          );
        }
        continue;
      }
      await kept.drop(taken, sums);
      dropped += 1;
      this.logger.log(`dropped ${month.name}, which ClickHouse has`);
    }
    return dropped;
  }

  /** Removes the late events of archived months. Does nothing when EVENTS_HOT_DAYS is not set. */
  private async sweep(kept: MonthsRepository): Promise<void> {
    const archivedBefore = this.days === undefined ? null : await this.months.archivedBefore();
    if (archivedBefore === null) return;
    const apart = (await kept.all()).filter(({ isAttached }) => !isAttached);
    await this.late?.sweep(kept.late, archivedBefore, apart);
  }

  /**
   * Detaches a month. @returns null when its events differ or are still needed, `busy` when the locks were not
   * available
   */
  private async takeOut(
    month: StoredMonth,
    kept: MonthsRepository,
    stored: ReplicatedEventsRepository,
  ): Promise<StoredMonth | 'busy' | null> {
    // The stores were equal when the month was archived. ClickHouse may have lost tables since.
    if (!(await kept.isReplicaComplete()) || (await this.sameSums(month, kept, stored)) === null) return null;
    const outcome = await kept.detach(month);
    if (outcome === 'done') return { ...month, name: archivedName(month), isAttached: false };
    const why =
      outcome === 'busy'
        ? 'events are read or stored all the time'
        : 'some of its events are to be copied, matched or told still';
    this.logger.warn(`${month.name} was not dropped: ${why}; the next round tries again`);
    return outcome === 'busy' ? 'busy' : null;
  }

  /** @returns the sums of each project in a month when both stores have the same sums, else null */
  private async sameSums(
    month: StoredMonth,
    kept: MonthsRepository,
    stored: ReplicatedEventsRepository,
  ): Promise<KeptSum[] | null> {
    const key = month.from.getTime();
    // Only attached months pause. A detached month is compared in every round, until it is dropped or attached again.
    if (month.isAttached && performance.now() < (this.restsUntil.get(key) ?? -Infinity)) return null;
    const { block, projects } = await kept.sums(month);
    const replicated = new Map((await stored.sums(block, month)).map((sum) => [sum.project, sum]));
    const differing = projects.filter((sum) => !isSameSum(sum, replicated.get(sum.project)));
    const [one] = differing;
    this.restsUntil.delete(key);
    if (one === undefined) return projects;
    if (month.isAttached) this.restsUntil.set(key, performance.now() + this.restMs);
    this.logger.error(
      `${month.name} stays: ${differing.length} of ${projects.length} projects differ, the first is ${one.project}: ` +
        `PostgreSQL has ${one.events} events, ClickHouse ${replicated.get(one.project)?.events ?? '0'}`,
    );
    return null;
  }
}
