import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { type WrittenJson, writeList } from '../../../platform/http/written-json.js';
import { ProjectsReader } from '../../tenancy/projects/index.js';
import {
  type BoundedHour,
  ClickHouseRequestsReader,
  type ReadTime,
  type RequestFilter,
  slowestFirst,
  SlowEventsReader,
  type SlowLocator,
  type TimeWindow,
} from '../event-store/index.js';
import { LOG_ROWS, type LogRow, logRow } from '../logs/index.js';
import { EventPageReader } from '../reads/index.js';
import { RequestQuestions } from './request-selection.js';
import type { SlowestQuery } from './performance.dto.js';
import { PlannedReads } from './planned-reads.service.js';

/** Maximum number of events in hours with rollups that one statement scans, unless a single hour has more. */
const EVENTS_A_STATEMENT = 20_000;

interface SlowestQueryOptions {
  readonly filter: RequestFilter;
  readonly minMs: number;
  readonly limit: number;
}

/** Reads the slowest requests of a window as log rows. */
@Injectable()
export class SlowestService {
  constructor(
    private readonly reads: PlannedReads,
    private readonly slow: SlowEventsReader,
    private readonly clickHouse: ClickHouseRequestsReader,
    private readonly pages: EventPageReader,
    private readonly projects: ProjectsReader,
    private readonly questions: RequestQuestions,
  ) {}

  async list(scope: ProjectScope, query: SlowestQuery, signal: AbortSignal): Promise<WrittenJson<LogRow[]>> {
    const { window, filter } = await this.questions.of(query);
    const { limit, min_ms: minMs } = query;
    const name = await this.projects.nameOf(scope);
    const locators = await this.reads.run(
      scope,
      (tx) => this.slow.hours(scope, window, filter, minMs, tx),
      (tx, hours, time) => this.findAll(scope, window, hours, { filter, minMs, limit }, time, tx),
      signal,
    );
    return this.pages.answer(scope, locators, LOG_ROWS, (rows) => writeList(rows.map((row) => logRow(row, name))));
  }

  /** @param hours the hours that may contain requests of at least `minMs` */
  private async findAll(
    scope: ProjectScope,
    window: TimeWindow,
    hours: readonly BoundedHour[],
    selection: SlowestQueryOptions,
    time: ReadTime,
    tx: Db,
  ): Promise<SlowLocator[]> {
    const events = hours.reduce((sum, hour) => sum + hour.events, 0);
    const replicated = await this.clickHouse.slowest(
      scope,
      window,
      selection.filter,
      { ...selection, events },
      time,
      tx,
    );
    return replicated ?? this.find(scope, hours, selection, time, tx);
  }

  /** Scans hours in the order of their slowest request, until no remaining hour can contain one of the slowest. */
  private async find(
    scope: ProjectScope,
    hours: readonly BoundedHour[],
    { filter, minMs, limit }: SlowestQueryOptions,
    time: ReadTime,
    tx: Db,
  ): Promise<SlowLocator[]> {
    let found: SlowLocator[] = [];
    for (let next = 0; next < hours.length;) {
      const last = found.length < limit ? undefined : found.at(-1);
      const some = takeSome(hours, next, last);
      if (some.length === 0) break;
      next += some.length;
      await time.limit();
      const least = { minMs: Math.max(minMs, last?.latency ?? 0), limit };
      found = [...found, ...(await this.slow.slowest(scope, some, filter, least, tx))]
        .sort(slowestFirst)
        .slice(0, limit);
    }
    return found;
  }
}

/**
 * Returns the hours of the next statement: all hours without rollups, which come first, and then as many as one
 * statement may scan.
 */
function takeSome(hours: readonly BoundedHour[], from: number, last: SlowLocator | undefined): BoundedHour[] {
  const some: BoundedHour[] = [];
  let events = 0;
  for (const hour of hours.slice(from)) {
    if (last !== undefined && !mayHaveSlower(hour, last)) break;
    events += hour.isMade ? hour.events : 0;
    if (some.length > 0 && hour.isMade && (some[0]?.isMade === false || events > EVENTS_A_STATEMENT)) break;
    some.push(hour);
  }
  return some;
}

/** Returns whether an hour may contain a slower event than `last`, or an equally slow and newer one. */
function mayHaveSlower({ most, to }: BoundedHour, last: SlowLocator): boolean {
  return most > last.latency || (most === last.latency && to > last.timestamp);
}
