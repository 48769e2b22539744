import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Bind } from '../../../../platform/database/parameters.js';

/** More are not carried from one database to the other. */
const MOST_ROWS = 100_000;

/** What events are told apart by. */
export interface AlikeColumn {
  /** Of the rows `e` of ClickHouse; times as milliseconds. */
  readonly copied: (bind: BindValue) => string;
  /** Of the rows `e` of PostgreSQL. */
  readonly postgres: (bind: Bind) => string;
  readonly type: 'text' | 'uuid' | 'int' | 'bool' | 'timestamptz';
  /** Events are not told apart by it: the greatest one stands for all. */
  readonly isGreatest?: true;
}

export interface AlikeQuestion {
  readonly columns: Readonly<Record<string, AlikeColumn>>;
  /** Which events, of the rows `e` of ClickHouse. */
  readonly where: (bind: BindValue) => string;
}

/** Events that are alike in some columns, as rows with their number `n`. */
export class AlikeEvents {
  private constructor(
    private readonly columns: AlikeQuestion['columns'],
    private readonly lists: readonly (readonly unknown[])[],
  ) {}

  /** What follows SELECT. */
  static selectSql({ columns, where }: AlikeQuestion, copied: string, bind: BindValue): string {
    // Under names that no column has: a condition is about the columns.
    const names = Object.values(columns).map(({ copied: sql, isGreatest }, index) => {
      return `${isGreatest ? `max(${sql(bind)})` : sql(bind)} AS alike_${index}`;
    });
    const keys = Object.values(columns).flatMap(({ isGreatest }, index) => (isGreatest ? [] : [`alike_${index}`]));
    return `* FROM (SELECT ${[...names, 'count() AS alike_n'].join(', ')} FROM ${copied} AS e WHERE ${where(bind)}
      ${keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`}) LIMIT ${bind(MOST_ROWS + 1, 'UInt64')}`;
  }

  /** @returns null where they are too many */
  static of({ columns }: AlikeQuestion, rows: readonly Record<string, unknown>[]): AlikeEvents | null {
    if (rows.length > MOST_ROWS) return null;
    const lists = Object.values(columns).map(({ type }, index) => {
      const values = rows.map((row) => row[`alike_${index}`]);
      return type === 'timestamptz' ? values.map((value) => new Date(value as number)) : values;
    });
    return new AlikeEvents(columns, [...lists, rows.map(({ alike_n: n }) => n)]);
  }

  /** Whether one of them has a value in a column. */
  has(column: string, value: unknown): boolean {
    return this.lists[Object.keys(this.columns).indexOf(column)]?.includes(value) === true;
  }

  /** They, and events of PostgreSQL beside them, as a relation of the columns and `n`. @param beside a FROM that calls them `e` */
  sql(beside: string, bind: Bind): string {
    const names = Object.keys(this.columns);
    const types = [...Object.values(this.columns).map(({ type }) => type), 'float8'];
    const lists = this.lists.map((list, index) => `${bind(list)}::${types[index]}[]`);
    const others = Object.values(this.columns).map(({ postgres, type }) => `(${postgres(bind)})::${type}`);
    return `(SELECT * FROM unnest(${lists.join(', ')}) AS copied (${[...names, 'n'].join(', ')})
       UNION ALL SELECT ${[...others, '1'].join(', ')} FROM ${beside} /* tenant: they are of one project */)`;
  }
}
