import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { FairSemaphore } from '../../../../platform/concurrency/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { ArchivedEventsReader } from '../reading/archived-events.reader.js';
import { inWindow } from '../totals/event-filter.js';
import { type EventListQuery, olderThan } from './event-list-query.js';
import { type EventLocator, LOCATOR_COLUMNS } from './event-locator.js';

/**
 * Limits the reads that run at once, per process and per project. Without a free slot the caller reads the page in
 * another way.
 */
const SLOTS = { parallel: 8, maxPerKey: 4, maxQueued: 0 };
const NEWEST_FIRST = 'ORDER BY "timestamp" DESC, id DESC';

type Scope = Pick<ProjectScope, 'projectId'>;

/**
 * Reads a page from the newest events of PostgreSQL, when these fill the page. PostgreSQL has the newest events whether
 * they are replicated or not. They fill the first pages of a project with many events per second.
 */
@Injectable()
export class NewestListReader {
  /**
   * The number of newest events that are read for a page. Reading one takes half a microsecond; a read of ClickHouse
   * takes ten times as long as all of them.
   */
  lookedAt = 2_500;
  private readonly slots = new FairSemaphore(SLOTS);

  constructor(
    private readonly database: Database,
    private readonly archived: ArchivedEventsReader,
  ) {}

  /**
   * @param tx the snapshot that the answer has to come from
   * @returns null when the newest events do not fill the page, the conditions are costly, there is no free slot, or
   * PostgreSQL may lack an event
   */
  async page(scope: Scope, query: EventListQuery, tx?: Db): Promise<EventLocator[] | null> {
    const { window, before, conditions, limit, offset = 0 } = query;
    if (limit + offset > this.lookedAt || conditions?.areCostly === true) return null;
    // For archived months PostgreSQL only has late events.
    const end = before?.timestamp ?? window?.to;
    if (end !== undefined && (await this.archived.isArchived({ from: end }))) return null;
    return this.slots.runNow(scope.projectId, () => this.ofNewest(scope, query, tx));
  }

  private async ofNewest(
    { projectId }: Scope,
    { window, before, conditions, limit, offset = 0 }: EventListQuery,
    tx: Db | undefined,
  ): Promise<EventLocator[] | null> {
    const parameters = new Parameters();
    const within = window === undefined ? '' : ` AND ${inWindow('"timestamp"', window, parameters)}`;
    const page = `${NEWEST_FIRST} LIMIT ${parameters.bind(limit)} OFFSET ${parameters.bind(offset)}`;
    const newest = `FROM events WHERE project_id = ${parameters.bind(projectId)}${within}${olderThan(before, parameters)}`;
    const matching = conditions?.postgres(parameters) ?? '';
    const locators = await this.database.rows<EventLocator>(
      matching === ''
        ? `SELECT ${LOCATOR_COLUMNS} ${newest} ${page}`
        : `SELECT ${LOCATOR_COLUMNS} FROM (SELECT * ${newest} ${NEWEST_FIRST} LIMIT ${this.lookedAt}) newest WHERE true${matching} ${page}`,
      parameters.values,
      tx,
    );
    const last = locators.at(-1);
    if (last === undefined || locators.length < limit || (await this.archived.isArchived({ from: last.timestamp })))
      return null;
    return locators;
  }
}
