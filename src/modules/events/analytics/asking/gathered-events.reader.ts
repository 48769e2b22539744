import { Injectable } from '@nestjs/common';
import { type BindValue, StatementValues } from '../../../../platform/clickhouse/index.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';
import { type FittingEvents, FittingEventsReader } from '../../eql/index.js';
import {
  CopiedEventsReader,
  CopyReadTooLong,
  instantSql,
  UncopiedEventsReader,
  uncopiedSql,
} from '../../event-store/index.js';
import { QueryTooLong } from '../../reads/index.js';
import {
  type BucketCoverage,
  conditionsOf,
  copiedConditionsOf,
  countedBuckets,
  type Dimension,
  type EventFilter,
  isEmptyFilter,
  type TimeWindow,
} from '../../totals/index.js';
import type { Division } from './division.js';
import type { Question } from './question.js';
import type { Snapshot } from './snapshots.js';

const HOUR_MS = 3_600_000;

type End = 'first' | 'last';

/** Where the answer to a question comes from: counted hours with the rows at their edges, or the events themselves. */
export type Source =
  | { readonly type: 'counted'; readonly coverage: BucketCoverage }
  | { readonly type: 'events'; readonly events: FittingEvents };

/** Where the copy of the events ends for a question, and what is behind that. */
export interface UncopiedEvents {
  readonly block: number;
  readonly events: (window: TimeWindow) => FittingEvents;
  /** Ids of those that are copied and fit, where that was found out in memory; null: SQL of the condition says it. */
  readonly chosen: readonly string[] | null;
}

/** Finds the events of questions. */
@Injectable()
export class GatheredEventsReader {
  constructor(
    private readonly fitting: FittingEventsReader,
    private readonly copied: CopiedEventsReader,
    private readonly uncopied: UncopiedEventsReader,
  ) {}

  /**
   * What answers about the buckets of a division.
   * @param isOfHours whether counted hours can tell
   * @throws QueryTooLong
   */
  async source(question: Question, division: Division, isOfHours: boolean, snapshot: Snapshot): Promise<Source> {
    return isOfHours
      ? { type: 'counted', coverage: division.coverage(question.now) }
      : { type: 'events', events: await this.events(question, division.span, snapshot) };
  }

  /**
   * @param types of the events, where others are not wanted
   * @throws QueryTooLong
   */
  async events(
    question: Question,
    window: TimeWindow,
    { tx, deadline }: Snapshot,
    types?: readonly string[],
  ): Promise<FittingEvents> {
    const { scope, where, filter } = question;
    const asked = { window, where, filter: (bind: Bind) => filterSql(filter, types, bind) };
    return this.fitting.of(tx, scope, asked, deadline);
  }

  /**
   * What has to be added to the copy of the events of a window.
   * @param types of the events, where others are not wanted
   * @returns null where that is not to be asked, or cannot tell
   * @throws QueryTooLong
   */
  async behindCopy(
    question: Question,
    window: TimeWindow,
    { tx, deadline }: Snapshot,
    signal: AbortSignal,
    types?: readonly string[],
  ): Promise<UncopiedEvents | null> {
    const { scope, filter, where } = question;
    if (!this.copied.isAsked) return null;
    const block = await this.uncopied.block(scope, tx);
    if (block === null) return null;
    const ofFilter = (bind: Bind): string => filterSql(filter, types, bind);
    const within =
      (conditions: (bind: Bind) => string): UncopiedEvents['events'] =>
      (part) =>
      (bind) =>
        uncopiedSql(scope.projectId, part, `${ofFilter(bind)}${conditions(bind)}`, bind);
    if (where?.isExact !== false) {
      return { block, events: within((bind) => (where === null ? '' : ` AND (${where.sql(bind)})`)), chosen: null };
    }
    const copiedFilter = (bind: BindValue): string => copiedFilterSql(filter, types, bind);
    const asked = { window, filter: ofFilter, copiedFilter, where };
    const chosen = await this.fitting.ofBoth(tx, scope, asked, deadline, signal);
    if (chosen === null) return null;
    const { copied, uncopied } = chosen;
    return { block, events: within((bind) => ` AND e.id = ANY (${bind(uncopied)}::uuid[])`), chosen: copied };
  }

  /** The oldest timestamp of events; null without any. */
  async firstOf(events: FittingEvents, snapshot: Snapshot): Promise<Date | null> {
    const parameters = new Parameters();
    const [row] = await snapshot.rows<{ at: Date | null }>(
      `SELECT min(e."timestamp") AS at FROM ${events(parameters.bind)} /* tenant: they are of one project */`,
      parameters,
    );
    return row?.at ?? null;
  }

  /** The oldest or the newest timestamp in a window under the filter alone; null without events. */
  async endOf(question: Question, window: TimeWindow, end: End, snapshot: Snapshot): Promise<Date | null> {
    // The newest events are PostgreSQL's, too.
    if (end === 'last' || !this.copied.isAsked) {
      const kept = await this.keptEndOf(question, window, end, snapshot);
      if (kept !== null || !this.copied.isAsked) return kept;
    }
    const copied = await this.copiedEndOf(question, window, end, snapshot);
    this.copied.answered(copied === undefined ? 'postgres' : 'clickhouse');
    return copied === undefined ? this.keptEndOf(question, window, end, snapshot) : copied;
  }

  /** Of the events of both stores; undefined where PostgreSQL has to answer alone. */
  private async copiedEndOf(
    { scope, filter }: Question,
    window: TimeWindow,
    end: End,
    snapshot: Snapshot,
  ): Promise<Date | null | undefined> {
    const block = await this.uncopied.block(scope, snapshot.tx);
    if (block === null) return undefined;
    // None is before the first counted hour, or after the last one.
    const hour = isEmptyFilter(filter) ? null : await this.hourOf(scope, window, filter, end, snapshot, false);
    if (hour === undefined) return null;
    const afterHour = hour === null ? window.to : new Date(hour.getTime() + HOUR_MS);
    const from = hour === null || end === 'last' || hour < window.from ? window.from : hour;
    const to = end === 'first' || afterHour > window.to ? window.to : afterHour;
    const parameters = new Parameters();
    const chosen = end === 'first' ? 'min' : 'max';
    const uncopied = uncopiedSql(
      scope.projectId,
      { from, to },
      filterSql(filter, undefined, parameters.bind),
      parameters.bind,
    );
    const [beside] = await snapshot.rows<{ at: Date | null }>(
      `SELECT ${chosen}(e."timestamp") AS at FROM ${uncopied} /* tenant: compared there */`,
      parameters,
    );
    const statement = new StatementValues();
    const { bind } = statement;
    const order = end === 'first' ? 'ASC' : 'DESC';
    try {
      const rows = await this.copied.rows<{ ms: number }>(
        scope,
        block,
        (copied) => `toUnixTimestamp64Milli(e.timestamp) AS ms FROM ${copied} AS e
          WHERE e.timestamp >= ${instantSql(from, bind)} AND e.timestamp < ${instantSql(to, bind)}${copiedConditionsOf(filter, bind)}
          ORDER BY e.timestamp ${order} LIMIT 1`,
        statement,
        { milliseconds: snapshot.deadline.left() },
      );
      if (rows === null) return undefined;
      const times = [...rows.map(({ ms }) => ms), ...(beside?.at ? [beside.at.getTime()] : [])];
      if (times.length === 0) return null;
      return new Date(end === 'first' ? Math.min(...times) : Math.max(...times));
    } catch (error) {
      throw error instanceof CopyReadTooLong ? new QueryTooLong() : error;
    }
  }

  private async keptEndOf(
    { scope, filter }: Question,
    window: TimeWindow,
    end: End,
    snapshot: Snapshot,
  ): Promise<Date | null> {
    const hour = isEmptyFilter(filter) ? null : await this.hourOf(scope, window, filter, end, snapshot);
    if (hour === undefined) return null;
    const parameters = new Parameters();
    const from = hour === null || hour < window.from ? window.from : hour;
    const afterHour = hour === null ? window.to : new Date(hour.getTime() + HOUR_MS);
    const to = afterHour < window.to ? afterHour : window.to;
    const [row] = await snapshot.rows<{ at: Date }>(
      `SELECT "timestamp" AS at FROM events
       WHERE project_id = ${parameters.bind(scope.projectId)} AND "timestamp" >= ${parameters.bind(from)}
         AND "timestamp" < ${parameters.bind(to)}${conditionsOf(filter, parameters)}
       ORDER BY "timestamp" ${end === 'first' ? 'ASC' : 'DESC'} LIMIT 1`,
      parameters,
    );
    return row?.at ?? null;
  }

  /**
   * The first or last hour that has such an event in the window; undefined without one.
   * @param isLookedInto left out: it is; else the hours at the ends of the window may have theirs outside of it
   */
  private async hourOf(
    scope: Question['scope'],
    window: TimeWindow,
    filter: Question['filter'],
    end: End,
    snapshot: Snapshot,
    isLookedInto = true,
  ): Promise<Date | undefined> {
    const parameters = new Parameters();
    const project = parameters.bind(scope.projectId);
    const conditions = conditionsOf(filter, parameters);
    const [from, to] = [parameters.bind(window.from), parameters.bind(window.to)];
    // The hours at the ends of the window may have their events outside of it.
    const [row] = await snapshot.rows<{ hour: Date }>(
      `SELECT h.hour FROM event_facet_hours h
       WHERE project_id = ${project} AND hour > ${from}::timestamptz - interval '1 hour' AND hour < ${to}${conditions}
         AND (${!isLookedInto} OR (hour >= ${from} AND hour + interval '1 hour' <= ${to}) OR EXISTS (
           SELECT FROM events WHERE project_id = ${project} AND "timestamp" >= greatest(h.hour, ${from})
             AND "timestamp" < least(h.hour + interval '1 hour', ${to})${conditions}))
       ORDER BY hour ${end === 'first' ? 'ASC' : 'DESC'} LIMIT 1`,
      parameters,
    );
    return row?.hour;
  }
}

/** @param types of the events, where others are not wanted */
function filterSql(filter: EventFilter, types: readonly string[] | undefined, bind: Bind): string {
  const ofTypes = types === undefined ? '' : ` AND e.event = ANY (${bind(types)}::text[])`;
  return `true${conditionsOf(filter, { bind })}${ofTypes}`;
}

function copiedFilterSql(filter: EventFilter, types: readonly string[] | undefined, bind: BindValue): string {
  const ofTypes = types === undefined ? '' : ` AND e.event IN ${bind(types, 'Array(String)')}`;
  return `${copiedConditionsOf(filter, bind)}${ofTypes}`;
}

/** Counted events by bucket and dimensions: `bucket`, the dimensions, `events` and `errors`, none without events. */
export function countedSql(
  { scope, now, filter }: Question,
  coverage: BucketCoverage,
  dimensions: readonly Dimension[],
  bind: Bind,
): string {
  const counted = countedBuckets({ projectId: scope.projectId, coverage, now, filter, dimensions }, bind);
  const names = ['bucket', ...dimensions].join(', ');
  return `SELECT ${names}, sum(events) AS events, sum(errors) AS errors FROM ${counted} /* tenant: compared there */
          GROUP BY ${names} HAVING sum(events) > 0`;
}

/** The number of the bucket of an event `e`. */
export function bucketSql({ starts }: Division, bind: Bind): string {
  const [, second, ...others] = starts;
  if (second === undefined) return '0';
  if (others.length === 0) return `CASE WHEN e."timestamp" < ${bind(second)}::timestamptz THEN 0 ELSE 1 END`;
  return `width_bucket(e."timestamp", ${bind(starts)}::timestamptz[]) - 1`;
}
