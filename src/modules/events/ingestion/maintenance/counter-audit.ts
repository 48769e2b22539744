import { Injectable, Logger } from '@nestjs/common';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { type ComparedHour, type CounterPlace, CountersReader } from '../../event-store/index.js';
import { type MeteredMonth, MeteredMonthsRepository } from './metered-months.repository.js';

const ORGANIZATIONS_A_ROUND = 500;
const HOURS_A_ROUND = 50;
/** Rows counted in one round; an hour with more is left out. */
const EVENTS_A_ROUND = 200_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** Before every hour of every project. */
const START: CounterPlace = { project_id: FIRST_ID, hour: '-infinity' };

/**
 * Compares counters with what they count, some of them each round and all of them in time, and says so when they differ.
 * They change in the transaction of the events, so they never should: a difference is a fault to look for, and mending it
 * silently would hide it. Each comparison is one statement and so sees one moment.
 */
@Injectable()
export class CounterAudit extends MaintenanceTask {
  private organization = FIRST_ID;
  private place = START;
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

  /** This month of some organizations against the days of their projects. */
  private async months(): Promise<MeteredMonth[]> {
    const rows = await this.metered.months(this.organization, ORGANIZATIONS_A_ROUND);
    this.organization = rows.length < ORGANIZATIONS_A_ROUND ? FIRST_ID : (rows.at(-1)?.organization_id ?? FIRST_ID);
    return rows.filter((row) => row.events !== row.events_metered || row.requests !== row.requests_metered);
  }

  /** Some hours of projects against their events. */
  private async hours(): Promise<ComparedHour[]> {
    const page = await this.counters.hours(this.place, HOURS_A_ROUND, EVENTS_A_ROUND);
    let events = 0;
    const some = page.filter((hour) => (events += hour.events) <= EVENTS_A_ROUND);
    const isEnd = page.length < HOURS_A_ROUND && some.length === page.length;
    this.place = isEnd ? START : (some.at(-1) ?? START);
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
