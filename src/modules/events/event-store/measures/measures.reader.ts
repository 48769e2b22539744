import { Injectable } from '@nestjs/common';
import { validate as isUuid } from 'uuid';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { parseExact } from '../../../../platform/json/index.js';
import {
  type Aggregate,
  exactValuesOf,
  fieldsOf,
  type FilterGroup,
  filterSql,
  numberSql,
  scalarSql,
} from '../../conditions/index.js';
import { StagedEventsWriter } from '../reading/staged-events.writer.js';
import { type Dimension, DIMENSIONS, type EventFilter } from '../totals/event-filter.js';
import { EventTotalsReader } from '../totals/totals.reader.js';
import { type TimeWindow, wholeHours } from '../totals/coverage.js';
import { type GroupValue, groupValueOf, MAX_GROUP_TEXT } from './group-value.js';
import type { ProjectId } from '../../../access/index.js';

/** The value of one group of events; an ungrouped rule has one group without values. */
interface Measure {
  readonly group: readonly GroupValue[];
  /** Null when there is nothing to aggregate. */
  readonly value: number | null;
}

export interface Measured {
  readonly measures: readonly Measure[];
  /** True when there may be further groups, whose values are then unknown. */
  readonly isCut: boolean;
}

interface Wanted {
  readonly aggregate: Aggregate;
  readonly field?: string;
}

interface Measuring {
  /** The SQL parameter of the project id. */
  readonly project: string;
  /** The condition on the project's events. */
  readonly within: string;
}

/** The parts of a rule that decide which events it measures. */
interface MeasuredRule {
  readonly projectId: ProjectId;
  readonly filter: FilterGroup;
  readonly groupBy: readonly string[];
}

/** A rule on windows measures this many groups, those with the most events. */
const MAX_MEASURED_GROUPS = 100;
/** For shorter windows, reading the rows is as fast as reading counted hours. */
const COUNTED_FROM_SECONDS = 3_600;

/** Aggregates the events of windows. Uses counted hours where they can answer, else the rows. */
@Injectable()
export class MeasuresReader {
  constructor(
    private readonly database: Database,
    private readonly totals: EventTotalsReader,
    private readonly staged: StagedEventsWriter,
  ) {}

  /**
   * Stages the events of some windows, so that a snapshot of the past (`PastEventsReader.snapshot`) can read them from
   * either store. Must run before any other read of that snapshot.
   * @param query the aggregate that will be measured in windows within these; null before {@link lastSeen} is read
   * @returns null when all events are staged; otherwise the instant before which all are staged
   * @throws ArchiveUnavailable
   */
  async stage(
    rule: MeasuredRule,
    windows: readonly TimeWindow[],
    query: (Wanted & { readonly seconds: number }) | null,
    milliseconds: number,
    tx: Db,
  ): Promise<Date | null> {
    if (!this.staged.mayStage(tx)) return null;
    const counted = query === null ? null : counting(rule, query.seconds, query);
    // Counted hours extend beyond windows, and the events outside the windows are subtracted.
    const all = counted === null ? windows : windows.map(wholeHours);
    if (counted !== null && (await this.areTooMany(rule, all, counted.filter, tx))) return null;
    const { projectId, filter, groupBy } = rule;
    const fields = [...fieldsOf(filter), ...groupBy, ...(query?.field === undefined ? [] : [query.field])];
    const until = await this.staged.stage(projectId, { windows: all, filter, fields, milliseconds }, tx);
    // Where events are not staged, reads of counted hours get them from ClickHouse. So no window is incomplete.
    return counted === null ? until : null;
  }

  async values(rule: MeasuredRule, window: TimeWindow, wanted: Wanted, db?: Db): Promise<Measured> {
    return measured(
      (await this.counted(rule, window, wanted, db)) ?? (await this.aggregated(rule, window, wanted, db)),
    );
  }

  /**
   * Returns when events were last seen in the window, by group. Groups without events are left out.
   * @returns epoch milliseconds
   */
  async lastSeen(rule: MeasuredRule, window: TimeWindow, db?: Db): Promise<Measured> {
    const parameters = new Parameters();
    const { project, within, groups } = this.statement(rule, window, parameters);
    if (groups.length === 0) {
      const rows = await this.database.rows<{ at: Date }>(
        `SELECT e."timestamp" AS at FROM events e WHERE e.project_id = ${project} AND ${within}
         ORDER BY e."timestamp" DESC LIMIT 1`,
        parameters.values,
        db,
      );
      return measured([{ group: [], value: rows[0]?.at.getTime() ?? null }]);
    }
    const last = `extract(epoch FROM max(e."timestamp"))::float8 * 1000`;
    return measured(await this.grouped(groups, last, { project, within }, parameters, db));
  }

  private async areTooMany(
    rule: MeasuredRule,
    hours: readonly TimeWindow[],
    filter: EventFilter,
    tx: Db,
  ): Promise<boolean> {
    let left = this.staged.mostEvents;
    for (const window of hours) left -= (await this.totals.total(rule, window, filter, tx)).events;
    return left < 0;
  }

  private async counted(
    rule: MeasuredRule,
    window: TimeWindow,
    { aggregate }: Wanted,
    db?: Db,
  ): Promise<Measure[] | null> {
    const counted = counting(rule, (window.to.getTime() - window.from.getTime()) / 1_000, { aggregate });
    if (counted === null) return null;
    const { filter, dimension } = counted;
    const valueOf = ({ events, errors }: { events: number; errors: number }): number | null =>
      aggregate === 'count' ? events : events === 0 ? null : errors / events;
    if (dimension === undefined) {
      return [{ group: [], value: valueOf(await this.totals.total(rule, window, filter, db)) }];
    }
    const limit = MAX_MEASURED_GROUPS;
    const groups = await this.totals.by(rule, dimension, window, { filter, limit }, db);
    return groups.map((group) => ({ group: [group.value], value: valueOf(group) }));
  }

  private async aggregated(rule: MeasuredRule, window: TimeWindow, wanted: Wanted, db?: Db): Promise<Measure[]> {
    const parameters = new Parameters();
    const { project, within, groups } = this.statement(rule, window, parameters);
    const value = aggregateSql(wanted, parameters);
    if (groups.length > 0) return this.grouped(groups, value, { project, within }, parameters, db);
    const rows = await this.database.rows<{ value: number | null }>(
      `SELECT ${value} AS value FROM events e WHERE e.project_id = ${project} AND ${within}`,
      parameters.values,
      db,
    );
    return [{ group: [], value: rows[0]?.value ?? null }];
  }

  private async grouped(
    groups: readonly string[],
    value: string,
    { project, within }: Measuring,
    parameters: Parameters,
    db?: Db,
  ): Promise<Measure[]> {
    const names = groups.map((_, index) => `g${index}`);
    const rows = await this.database.rows<{ groups: string; value: number | null }>(
      `SELECT jsonb_build_array(${names.join(', ')})::text AS groups, value FROM (
         SELECT ${groups.map((sql, index) => `${sql} AS g${index}`).join(', ')}, ${value} AS value, count(*) AS events
         FROM events e WHERE e.project_id = ${project} AND ${within}
         GROUP BY ${names.map((_, index) => index + 1).join(', ')}
         ORDER BY events DESC, ${names.join(', ')} LIMIT ${MAX_MEASURED_GROUPS}) measured`,
      parameters.values,
      db,
    );
    return rows.map(({ groups: json, value }) => ({ group: (parseExact(json) as unknown[]).map(groupValueOf), value }));
  }

  private statement(
    { projectId, filter, groupBy }: MeasuredRule,
    { from, to }: TimeWindow,
    parameters: Parameters,
  ): Measuring & { readonly groups: string[] } {
    const bind = (value: unknown): string => parameters.bind(value);
    const project = bind(projectId);
    const within = `e."timestamp" >= ${bind(from)} AND e."timestamp" < ${bind(to)}
      AND ${filterSql(filter, bind)}`;
    return { project, within, groups: groupBy.map((field) => scalarSql(field, MAX_GROUP_TEXT, bind)) };
  }
}

function measured(measures: readonly Measure[]): Measured {
  return { measures, isCut: measures.length >= MAX_MEASURED_GROUPS };
}

const QUANTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

function aggregateSql({ aggregate, field }: Wanted, parameters: Parameters): string {
  const number = (): string => numberSql(field ?? '', (value) => parameters.bind(value));
  switch (aggregate) {
    case 'count':
      return 'count(*)::float8';
    case 'error_rate':
      return '(count(*) FILTER (WHERE e.log_status >= 500))::float8 / nullif(count(*), 0)';
    case 'p50':
    case 'p95':
    case 'p99':
      return `percentile_disc(${QUANTILES[aggregate]}) WITHIN GROUP (ORDER BY ${number()})`;
    case 'sum':
    case 'avg':
    case 'min':
    case 'max':
      return `${aggregate}(${number()})`;
  }
}

/** Returns the parameters of a read of counted hours. Null when counted hours cannot answer. */
function counting(
  rule: Pick<MeasuredRule, 'filter' | 'groupBy'>,
  seconds: number,
  { aggregate }: Pick<Wanted, 'aggregate'>,
): { readonly filter: EventFilter; readonly dimension: Dimension | undefined } | null {
  if (aggregate !== 'count' && aggregate !== 'error_rate') return null;
  if (seconds < COUNTED_FROM_SECONDS) return null;
  const filter = dimensionsOf(rule);
  const [dimension] = rule.groupBy;
  if (filter === null || rule.groupBy.length > 1 || (dimension !== undefined && !isDimension(dimension))) return null;
  return { filter, dimension };
}

/** Returns the filter in the form that counted hours support. Null when they cannot answer. */
function dimensionsOf({ filter }: Pick<MeasuredRule, 'filter'>): EventFilter | null {
  const values = exactValuesOf(filter);
  if (values === null) return null;
  const known = Object.entries(values).every(
    ([field, value]) => isDimension(field) && (field !== 'source_id' || isUuid(value)),
  );
  return known ? values : null;
}

function isDimension(field: string): field is Dimension {
  return (DIMENSIONS as readonly string[]).includes(field);
}
