import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Bind } from '../../../../platform/database/parameters.js';

/** The maximum number of groups that are transferred to PostgreSQL. */
const MOST_ROWS = 100_000;

/** A column that events are grouped by. */
export interface GroupedColumn {
  /** SQL for the rows `e` of ClickHouse. Timestamps are epoch milliseconds. */
  readonly clickHouse: (bind: BindValue) => string;
  /** SQL for the rows `e` of PostgreSQL. */
  readonly postgres: (bind: Bind) => string;
  readonly type: 'text' | 'uuid' | 'int' | 'bool' | 'timestamptz';
  /** The column is not part of GROUP BY. Each group has its greatest value. */
  readonly isGreatest?: true;
}

export interface GroupingQuery {
  readonly columns: Readonly<Record<string, GroupedColumn>>;
  /** Selects the events, for the rows `e` of ClickHouse. */
  readonly where: (bind: BindValue) => string;
}

/** Groups of events with equal columns. Each row has the number `n` of its events. */
export class GroupedEvents {
  private constructor(
    private readonly columns: GroupingQuery['columns'],
    private readonly lists: readonly (readonly unknown[])[],
  ) {}

  /** Returns the part of the statement after SELECT. */
  static selectSql({ columns, where }: GroupingQuery, replicated: string, bind: BindValue): string {
    // The aliases must differ from the names of columns, because a condition refers to the columns.
    const names = Object.values(columns).map(({ clickHouse: sql, isGreatest }, index) => {
      return `${isGreatest ? `max(${sql(bind)})` : sql(bind)} AS grouped_${index}`;
    });
    const keys = Object.values(columns).flatMap(({ isGreatest }, index) => (isGreatest ? [] : [`grouped_${index}`]));
    return `* FROM (SELECT ${[...names, 'count() AS grouped_n'].join(', ')} FROM ${replicated} AS e WHERE ${where(bind)}
      ${keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`}) LIMIT ${bind(MOST_ROWS + 1, 'UInt64')}`;
  }

  /** @returns null when there are more than {@link MOST_ROWS} groups */
  static of({ columns }: GroupingQuery, rows: readonly Record<string, unknown>[]): GroupedEvents | null {
    if (rows.length > MOST_ROWS) return null;
    const lists = Object.values(columns).map(({ type }, index) => {
      const values = rows.map((row) => row[`grouped_${index}`]);
      return type === 'timestamptz' ? values.map((value) => new Date(value as number)) : values;
    });
    return new GroupedEvents(columns, [...lists, rows.map(({ grouped_n: n }) => n)]);
  }

  /** True when one of the groups has this value in a column. */
  has(column: string, value: unknown): boolean {
    return this.lists[Object.keys(this.columns).indexOf(column)]?.includes(value) === true;
  }

  /**
   * Returns a relation of the columns and `n` with these groups and additional events of PostgreSQL. @param fromTail a
   * FROM clause with the alias `e`
   */
  sql(fromTail: string, bind: Bind): string {
    const names = Object.keys(this.columns);
    const types = [...Object.values(this.columns).map(({ type }) => type), 'float8'];
    const lists = this.lists.map((list, index) => `${bind(list)}::${types[index]}[]`);
    const others = Object.values(this.columns).map(({ postgres, type }) => `(${postgres(bind)})::${type}`);
    return `(SELECT * FROM unnest(${lists.join(', ')}) AS replicated (${[...names, 'n'].join(', ')})
       UNION ALL SELECT ${[...others, '1'].join(', ')} FROM ${fromTail} /* tenant: they are of one project */)`;
  }
}
