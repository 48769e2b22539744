import { Injectable, Logger } from '@nestjs/common';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { type ComparedHour, type CounterCursor, CountersReader } from '../../event-store/index.js';
import { type MeteredMonth, MeteredMonthsRepository } from './metered-months.repository.js';

const ORGANIZATIONS_A_ROUND = 500;
const HOURS_A_ROUND = 50;
/** Maximum number of events that one round counts. An hour with more is skipped. */
const EVENTS_A_ROUND = 200_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** A position before the first hour of the first project. */
const START: CounterCursor = { project_id: FIRST_ID, hour: '-infinity' };

/**
 * Compares counters with the rows that they count, and logs differences. Each round compares a part, until all have
 * been compared. A counter changes in the transaction of its events, so a difference is a fault to investigate; a
 * silent repair would hide it. Each comparison is one statement and reads one snapshot.
 */
@Injectable()
export class CounterAudit extends MaintenanceTask {
  private organization = FIRST_ID;
  private cursor = START;
  private readonly logger = new Logger('counters');

  constructor(
    private readonly counters: CountersReader,
    private readonly metered: MeteredMonthsRepository,
  ) {
    super();
  }

  /** @returns how many counters differ */
  async maintain(): Promise<number> {
    const differences = [...(await this.months()), ...(await this.hours())];
    for (const difference of differences) this.logger.warn(`counters differ: ${JSON.stringify(difference)}`);
    return differences.length;
  }

  /** Compares this month's counters of some organizations with the days of their projects. */
  private async months(): Promise<MeteredMonth[]> {
    const rows = await this.metered.months(this.organization, ORGANIZATIONS_A_ROUND);
    this.organization = rows.length < ORGANIZATIONS_A_ROUND ? FIRST_ID : (rows.at(-1)?.organization_id ?? FIRST_ID);
    return rows.filter((row) => row.events !== row.events_metered || row.requests !== row.requests_metered);
  }

  /** Compares counters of some hours of projects with the events of these hours. */
  private async hours(): Promise<ComparedHour[]> {
    const page = await this.counters.hours(this.cursor, HOURS_A_ROUND, EVENTS_A_ROUND);
    let events = 0;
    const some = page.filter((hour) => (events += hour.events) <= EVENTS_A_ROUND);
    const isEnd = page.length < HOURS_A_ROUND && some.length === page.length;
    this.cursor = isEnd ? START : (some.at(-1) ?? START);
    const compared = await this.counters.compare(some);
    return compared.filter(
      (hour) =>
        hour.events !== hour.rows ||
        hour.facets !== hour.rows ||
        hour.facets_by_day !== hour.facets_of_day ||
        hour.latencies !== hour.rows_with_latency,
    );
  }
}
