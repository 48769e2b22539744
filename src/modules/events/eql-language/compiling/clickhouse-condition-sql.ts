import { type BindValue, foldedSql } from '../../../../platform/clickhouse/index.js';
import { CLICKHOUSE_FIELDS, clickHousePropertySql } from '../../conditions/index.js';
import { instantSql } from '../../fields/index.js';
import type { Expression, Field } from '../language/ast.js';
import { ownField } from '../language/field-names.js';
import {
  boundCondition,
  type SqlDialect,
  isBounded,
  type Kind,
  type Constant,
  type Search,
  type Sign,
} from './exact-condition.js';

/**
 * Returns SQL that tests an SQL expression. The expression has the type of a {@link Kind}. The test of null is null.
 */
type Test = (sql: string) => string;

/**
 * A null that is computed from a column. With a constant null in a condition, ClickHouse wrongly skips rows by an index
 * of the type `set`: `a OR (b AND NULL)` is then not true for every row with `a`.
 */
const UNKNOWN = 'nullIf(e.log_has_latency, e.log_has_latency)';

/**
 * Returns a condition on the ClickHouse rows `e` that is true whenever the expression is true. For an exact expression,
 * the condition is true, false and null for the same events as in PostgreSQL and in memory.
 */
export function clickHouseConditionSql(expression: Expression, bind: BindValue): string {
  const dialect = new ClickHouseDialect(bind);
  return isBounded(expression) ? boundCondition(expression, dialect) : dialect.truth(true);
}

const OWN_FIELDS: Readonly<Record<string, string>> = {
  ...CLICKHOUSE_FIELDS,
  timestamp: 'e.timestamp',
  _id: 'toString(e.id)',
};

/** Returns SQL for the value of a field of the service in the ClickHouse rows `e`. */
export function clickHouseOwnSql(name: string): string {
  const sql = OWN_FIELDS[name];
  if (sql === undefined) throw new Error(`There is no field ${name}`);
  return sql;
}

class ClickHouseDialect implements SqlDialect {
  constructor(private readonly bind: BindValue) {}

  truth(value: boolean | null): string {
    if (value === null) return UNKNOWN;
    return value ? 'toUInt8(1)' : 'toUInt8(0)';
  }

  isMissing(field: Field): string {
    return field.own === null ? `(${this.property(field)} IN ('', 'null'))` : this.isNull(clickHouseOwnSql(field.own));
  }

  isNull(condition: string): string {
    return `isNull(${condition})`;
  }

  holds(field: Field): string {
    return this.test(field, 'boolean', plain);
  }

  instant(sign: Sign, at: Date): string {
    return `(e.timestamp ${sign} ${instantSql(at, this.bind)})`;
  }

  isAnyInstant(all: readonly Date[]): string {
    return all.length === 0 ? this.truth(false) : anyOf(all.map((at) => this.instant('=', at)));
  }

  compared(field: Field, sign: Sign, value: Constant): string {
    const operand = this.operand(value);
    return this.test(field, typeof value as Kind, (sql) => `(${sql} ${sign} ${operand})`);
  }

  isAmong(field: Field, values: readonly Constant[], isFolding: boolean): string {
    const [first] = values;
    if (typeof first === 'boolean') {
      return this.test(field, 'boolean', (sql) => anyOf(values.map((value) => `${sql} = ${this.operand(value)}`)));
    }
    const texts = values.map(String);
    const folded = isFolding ? foldedSql(texts, this.bind) : plain;
    const bound = this.bind(texts, 'Array(String)');
    // Numbers are bound as texts, because ClickHouse reads a list of numbers as integers when all are written that way.
    const [kind, list] =
      typeof first === 'number'
        ? (['number', `arrayMap(digits -> toFloat64(digits), ${bound})`] as const)
        : (['string', bound] as const);
    // For null, `has` would return false, but the result must be null.
    return this.test(field, kind, (sql) => `if(isNull(${sql}), NULL, has(${list}, assumeNotNull(${folded(sql)})))`);
  }

  isLike(field: Field, patterns: readonly string[], wanted: readonly string[] | null): string {
    const folded = wanted === null ? plain : foldedSql(wanted, this.bind);
    const operands = patterns.map((pattern) => this.bind(pattern, 'String'));
    const likes = anyOf(operands.map((operand) => `assumeNotNull(text) LIKE ${operand}`));
    // The array makes ClickHouse fold the text once for all patterns.
    return this.test(
      field,
      'string',
      (sql) => `if(isNull(${sql}), NULL, arrayExists(text -> ${likes}, [${folded(sql)}]))`,
    );
  }

  finds(field: Field, search: Search, part: string, isFolding: boolean): string {
    const folded = isFolding ? foldedSql([part], this.bind) : plain;
    const operand = this.bind(part, 'String');
    const found: Record<Search, Test> = {
      startsWith: (text) => `startsWith(${text}, ${operand})`,
      endsWith: (text) => `endsWith(${text}, ${operand})`,
      stringContains: (text) => `(position(${text}, ${operand}) > 0)`,
    };
    return this.test(field, 'string', (sql) => found[search](folded(sql)));
  }

  private operand(value: Constant): string {
    if (typeof value === 'boolean') return this.truth(value);
    return typeof value === 'string' ? this.bind(value, 'String') : this.bind(value, 'Float64');
  }

  private test(field: Field, kind: Kind, test: Test): string {
    if (field.own !== null) {
      const { type } = ownField(field.own);
      const sql = clickHouseOwnSql(field.own);
      if (type === 'text' && kind === 'string') return test(sql);
      if (type === 'number' && kind === 'number') return test(`toFloat64(${sql})`);
      return UNKNOWN;
    }
    const value = this.property(field);
    const { isOf, scalar } = KINDS[kind];
    const elements = `arrayMap(item -> ${scalar('item')}, arrayFilter(item -> ${isOf('item')}, JSONExtractArrayRaw(value)))`;
    // The array makes the long expression of the property appear only once in the statement.
    return `arrayMap(value -> multiIf(${isOf('value')}, ${test(scalar('value'))},
      startsWith(value, '['), if(empty(${elements}), NULL, arrayExists(item -> ifNull(${test('item')}, 0), ${elements})), NULL),
      [${value}])[1]`;
  }

  private property({ path }: Field): string {
    return clickHousePropertySql(path, this.bind);
  }
}

/** SQL that recognizes and reads the scalars of each kind in JSON text. */
const KINDS: Readonly<Record<Kind, { readonly isOf: Test; readonly scalar: Test }>> = {
  string: { isOf: (json) => `startsWith(${json}, '"')`, scalar: (json) => `JSONExtractString(${json})` },
  number: { isOf: (json) => `match(${json}, '^[-0-9]')`, scalar: (json) => `toFloat64OrZero(${json})` },
  boolean: { isOf: (json) => `(${json} IN ('true', 'false'))`, scalar: (json) => `(${json} = 'true')` },
};

function anyOf(conditions: readonly string[]): string {
  return `(${conditions.join(' OR ')})`;
}

function plain(sql: string): string {
  return sql;
}
