import { Injectable, Logger } from '@nestjs/common';
import type { ProjectId } from '../../access/index.js';
import { isLastingFault } from '../../../platform/database/database-faults.js';
import {
  DayRollupsWriter,
  type DueDay,
  type DueHour,
  type HourCursor,
  HourRollupsWriter,
} from '../event-store/index.js';

/** Maximum number of events that one statement reads, unless a single hour has more. */
const EVENTS_A_STATEMENT = 50_000;
const HOURS_A_STATEMENT = 200;
const HOURS_A_PAGE = 1_000;
/** Maximum number of hours that one round checks for events that arrived late. */
const HOURS_LOOKED_AT = 20_000;
/** Maximum number of events that one round reads. The next round continues. */
const EVENTS_A_ROUND = 1_000_000;
const DAYS_A_ROUND = 2_000;
/**
 * Rounds until hours that failed because of their own data are retried, for example an hour too large to be read in
 * time.
 */
const ROUNDS_OF_REST = 60;
const START: HourCursor = { projectId: '00000000-0000-0000-0000-000000000000', hour: new Date(0) };

interface Batch {
  readonly projectId: ProjectId;
  readonly hours: Date[];
  events: number;
}

/**
 * Makes rollups that are missing or out of date. Each round makes the due rollups of the last days and of a part of the
 * older days. Reads do not depend on rollups: where a rollup is not valid, they read the rows.
 */
@Injectable()
export class HourRollupsService {
  private readonly logger = new Logger('rollups');
  private cursor = START;
  private round = 0;
  /** The round in which a failed rollup is retried, by project and hour. */
  private readonly resting = new Map<string, number>();

  constructor(
    private readonly rollups: HourRollupsWriter,
    private readonly days: DayRollupsWriter,
  ) {}

  /**
   * Makes due rollups of hours and days. A rollup that fails does not stop the others, but fails the round.
   * @returns how many hours and days were made
   */
  async makeDue(): Promise<number> {
    const failures: unknown[] = [];
    this.round += 1;
    for (const [key, round] of this.resting) if (round <= this.round) this.resting.delete(key);
    let [made, left] = [0, EVENTS_A_ROUND];
    const make = async (due: readonly DueHour[]): Promise<number> => {
      let done = 0;
      for (const batch of batchesOf(due.filter((one) => !this.resting.has(keyOf(one.projectId, one.hour))))) {
        if (left <= 0) break;
        left -= batch.events;
        done += await this.makeBatch(batch, failures);
      }
      made += done;
      return done;
    };
    // Continues while a full page was due and this process made some of it.
    for (;;) {
      const due = await this.rollups.recent(HOURS_A_PAGE);
      if ((await make(due)) === 0 || due.length < HOURS_A_PAGE || left <= 0) break;
    }
    const { due, last } = await this.rollups.behind(this.cursor, HOURS_LOOKED_AT);
    await make(due);
    made += await this.makeDays(await this.days.recent(DAYS_A_ROUND), failures);
    if (last !== null) made += await this.makeDays(await this.days.between(this.cursor, last, DAYS_A_ROUND), failures);
    if (left > 0) this.cursor = last ?? START;
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} rollups failed`);
    return made;
  }

  private async makeDays(days: readonly DueDay[], failures: unknown[]): Promise<number> {
    let made = 0;
    for (const day of days.filter(({ projectId, day }) => !this.resting.has(keyOf(projectId, day)))) {
      try {
        made += await this.days.make(day);
      } catch (error) {
        this.fail(day.projectId, [day.day], error, failures);
      }
    }
    return made;
  }

  private async makeBatch({ projectId, hours }: Batch, failures: unknown[]): Promise<number> {
    try {
      return await this.rollups.make(projectId, hours);
    } catch (error) {
      this.fail(projectId, hours, error, failures);
      return 0;
    }
  }

  private fail(projectId: ProjectId, times: readonly Date[], error: unknown, failures: unknown[]): void {
    this.logger.warn(`rollups of the project ${projectId} cannot be made: ${String(error)}`);
    failures.push(error);
    if (!isLastingFault(error)) return;
    for (const time of times) this.resting.set(keyOf(projectId, time), this.round + ROUNDS_OF_REST);
  }
}

function keyOf(projectId: ProjectId, hour: Date): string {
  return `${projectId} ${hour.toISOString()}`;
}

/** Groups hours of one project into batches that one statement can read, and keeps their order. */
function batchesOf(due: readonly DueHour[]): Batch[] {
  const batches: Batch[] = [];
  const open = new Map<ProjectId, Batch>();
  for (const { projectId, hour, events } of due) {
    const batch = open.get(projectId);
    if (batch !== undefined && batch.hours.length < HOURS_A_STATEMENT && batch.events + events <= EVENTS_A_STATEMENT) {
      batch.hours.push(hour);
      batch.events += events;
      continue;
    }
    const begun = { projectId, hours: [hour], events };
    open.set(projectId, begun);
    batches.push(begun);
  }
  return batches;
}
