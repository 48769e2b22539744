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
import { LentEventsWriter } from '../reading/lent-events.writer.js';
import { type Dimension, DIMENSIONS, type EventFilter } from '../totals/event-filter.js';
import { EventTotalsReader } from '../totals/totals.reader.js';
import { type TimeWindow, wholeHours } from '../totals/coverage.js';
import { type GroupValue, groupValueOf, MAX_GROUP_TEXT } from './group-value.js';
import type { ProjectId } from '../../../access/index.js';

/** The value of one group of events; an ungrouped rule has one group without values. */
interface Measure {
  readonly group: readonly GroupValue[];
  /** Null: there is nothing to aggregate. */
  readonly value: number | null;
}

export interface Measured {
  readonly measures: readonly Measure[];
  /** Whether there may be more groups than these: what is not among them is then unknown. */
  readonly isCut: boolean;
}

interface Wanted {
  readonly aggregate: Aggregate;
  readonly field?: string;
}

/** Which events are measured. */
interface Measuring {
  /** The place of the project. */
  readonly project: string;
  /** Which of the project's: a condition. */
  readonly within: string;
}

/** What a rule measures. */
interface MeasuredRule {
  readonly projectId: ProjectId;
  readonly filter: FilterGroup;
  readonly groupBy: readonly string[];
}

/** A rule on windows tells so many groups apart, those with the most events first. */
const MAX_MEASURED_GROUPS = 100;
/** Below this the rows are as quick as the counted hours. */
const COUNTED_FROM_SECONDS = 3_600;

/** Aggregates the events of windows: from counted hours where those can tell, else from the rows. */
@Injectable()
export class MeasuresReader {
  constructor(
    private readonly database: Database,
    private readonly totals: EventTotalsReader,
    private readonly lent: LentEventsWriter,
  ) {}

  /**
   * Before anything is asked in a snapshot of the past (`PastEventsReader.snapshot`): has the events of some windows be there,
   * wherever they are kept.
   * @param asked what will be measured of windows inside of these; null: when events were last seen
   * @returns null; or the instant before which all are there, where there are more than can be
   * @throws ArchiveUnavailable
   */
  async lend(
    rule: MeasuredRule,
    windows: readonly TimeWindow[],
    asked: (Wanted & { readonly seconds: number }) | null,
    milliseconds: number,
    tx: Db,
  ): Promise<Date | null> {
    if (!this.lent.mayLend(tx)) return null;
    const counted = asked === null ? null : counting(rule, asked.seconds, asked);
    // Counted hours reach beyond windows, and what does is taken away again.
    const all = counted === null ? windows : windows.map(wholeHours);
    if (counted !== null && (await this.areTooMany(rule, all, counted.filter, tx))) return null;
    const { projectId, filter, groupBy } = rule;
    const fields = [...fieldsOf(filter), ...groupBy, ...(asked?.field === undefined ? [] : [asked.field])];
    const until = await this.lent.lend(projectId, { windows: all, filter, fields, milliseconds }, tx);
    // What is not there is added up elsewhere, window by window.
    return counted === null ? until : null;
  }

  async values(rule: MeasuredRule, window: TimeWindow, wanted: Wanted, db?: Db): Promise<Measured> {
    return measured(
      (await this.counted(rule, window, wanted, db)) ?? (await this.aggregated(rule, window, wanted, db)),
    );
  }

  /**
   * When events were last seen in the window, by group; groups with none are not among them.
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
    let left = this.lent.mostEvents;
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

/** What counted hours are asked for; null where they cannot tell. */
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

/** The filter as the counted hours know it; null when they cannot tell. */
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
