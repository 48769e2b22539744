import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { brokenRule } from '../../../platform/http/validation/index.js';
import { writeList, writeObject, type WrittenJson } from '../../../platform/http/written-json.js';
import { TimeRangeResolver, conditionOf } from '../time-ranges/index.js';
import {
  decodeCursor,
  encodeCursor,
  EventListReader,
  EventTotalsReader,
  MatchesReader,
  type Interval,
  type TimeWindow,
  withoutGaps,
} from '../event-store/index.js';
import type { Range } from '../../tenancy/projects/index.js';
import { EventPageReader } from './event-page-reader.js';
import { eventRecord, RECORDS } from './event-record.js';
import type {
  EventCountsQuery,
  EventCountsResponse,
  EventName,
  EventNamesQuery,
  EventsPage,
  EventsQuery,
} from './reads.dto.js';

/**
 * The intervals that a range can be divided into, the default first. Except for `all`, no range has more than about
 * 1,500 buckets.
 */
const INTERVALS_OF: Readonly<Record<Range, readonly [Interval, ...Interval[]]>> = {
  '15m': ['minute', 'hour', 'day'],
  '1h': ['minute', 'hour', 'day'],
  '24h': ['hour', 'minute', 'day'],
  '7d': ['hour', 'day'],
  '30d': ['day', 'hour'],
  all: ['day'],
};

/** Reads raw events, event names and event counts over time. */
@Injectable()
export class EventReadsService {
  constructor(
    private readonly lists: EventListReader,
    private readonly matches: MatchesReader,
    private readonly pages: EventPageReader,
    private readonly timeRanges: TimeRangeResolver,
    private readonly totals: EventTotalsReader,
    private readonly clock: Clock,
  ) {}

  /** Returns a page of events. One event more than `limit` is read to find out whether there is a next page. */
  async list(scope: ProjectScope, query: EventsQuery, signal: AbortSignal): Promise<WrittenJson<EventsPage>> {
    const { limit } = query;
    const where = conditionOf(query.where, 'query');
    const before = query.before === undefined ? null : decodeCursor(query.before);
    const found =
      where === null
        ? await this.lists.newest(scope, before, limit + 1)
        : await this.matches.newest(
            scope,
            { window: await this.timeRanges.everything(), where, before, limit: limit + 1 },
            signal,
          );
    return this.pages.answer(scope, found.slice(0, limit), RECORDS, (rows, shown) => {
      const last = shown.length < found.length ? shown.at(-1) : undefined;
      return writeObject<EventsPage>({
        items: writeList(rows.map(eventRecord)),
        next_before: last === undefined ? null : encodeCursor(last),
      });
    });
  }

  async counts(scope: ProjectScope, { range, interval: wanted }: EventCountsQuery): Promise<EventCountsResponse> {
    const allowed = INTERVALS_OF[range];
    const interval = wanted ?? allowed[0];
    if (!allowed.includes(interval)) {
      const sentence = `interval must be one of: ${[...allowed].sort().join(', ')} when range is ${range}`;
      throw brokenRule(['query', 'interval'], sentence, interval);
    }
    const window = await this.timeRanges.ofRange(range, this.clock.now());
    const known = await this.totals.over(scope, interval, window);
    const shown: TimeWindow = range === 'all' ? { from: known[0]?.at ?? window.to, to: window.to } : window;
    return {
      project_id: scope.projectId,
      range,
      interval,
      from_ts: window.from.toISOString(),
      to_ts: window.to.toISOString(),
      total_events: known.reduce((sum, { events }) => sum + events, 0),
      counts: withoutGaps(known, interval, shown).map(({ at, events, errors }) => ({
        ts: at.toISOString(),
        events,
        errors,
      })),
    };
  }

  async names(scope: ProjectScope, { range }: EventNamesQuery): Promise<EventName[]> {
    const window = await this.timeRanges.ofRange(range, this.clock.now());
    const names = await this.totals.eventsBy(scope, 'event', window);
    return names.map(({ value, events }) => ({ event: value ?? '', total: events }));
  }
}
