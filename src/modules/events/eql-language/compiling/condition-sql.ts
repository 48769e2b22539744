import type { Bind } from '../../../../platform/database/parameters.js';
import { foldedSql } from '../../../../platform/database/folded-sql.js';
import { propertySql } from '../../conditions/index.js';
import type { Expression, Field } from '../language/ast.js';
import { ownField } from '../language/field-names.js';
import {
  boundCondition,
  type SqlDialect,
  type Kind,
  type Constant,
  type Search,
  type Sign,
} from './exact-condition.js';

/** Returns SQL that tests an SQL expression. The expression has the type of a {@link Kind}. */
type Test = (sql: string) => string;

const UNKNOWN = 'NULL::boolean';
const TYPES = { string: 'text', number: 'float8', boolean: 'boolean' } as const satisfies Record<Kind, string>;

/**
 * Returns a condition on the row `e` of `events` that is true whenever the expression is true. The expression must be
 * bounded: see `isBounded`.
 */
export function boundSql(expression: Expression, bind: Bind): string {
  return boundCondition(expression, new PostgresDialect(bind));
}

/** Writes conditions on the row `e` of `events`. */
class PostgresDialect implements SqlDialect {
  constructor(private readonly bind: Bind) {}

  truth(value: boolean | null): string {
    return value === null ? UNKNOWN : String(value);
  }

  isMissing(field: Field): string {
    return this.isNull(field.own === null ? `(${propertySql(field.path, this.bind)})` : `(${ownField(field.own).sql})`);
  }

  isNull(condition: string): string {
    return `(${condition} IS NULL)`;
  }

  holds(field: Field): string {
    return this.test(field, 'boolean', plain);
  }

  instant(sign: Sign, at: Date): string {
    return `(e."timestamp" ${sign} ${this.bind(at)}::timestamptz)`;
  }

  isAnyInstant(all: readonly Date[]): string {
    return `(e."timestamp" = ANY (${this.bind(all)}::timestamptz[]))`;
  }

  compared(field: Field, sign: Sign, value: Constant): string {
    const kind = kindOf(value);
    const operand = `${this.bind(value)}::${TYPES[kind]}`;
    const order = kind === 'string' && sign !== '=' && sign !== '<>' ? ' COLLATE "C"' : '';
    const ofList =
      kind === 'string' && sign === '=' ? (list: string): string => hasTextSql(list, `? ${operand}`) : undefined;
    return this.test(field, kind, (sql) => `(${sql}${order} ${sign} ${operand})`, ofList);
  }

  isAmong(field: Field, values: readonly Constant[], isFolding: boolean): string {
    const kind = kindOf(values[0]);
    const operands = `${this.bind(values)}::${TYPES[kind]}[]`;
    const folded = isFolding ? foldedSql(values.map(String), this.bind) : plain;
    const ofList =
      kind === 'string' && !isFolding ? (list: string): string => hasTextSql(list, `?| ${operands}`) : undefined;
    return this.test(field, kind, (sql) => `(${folded(sql)} = ANY (${operands}))`, ofList);
  }

  isLike(field: Field, patterns: readonly string[], wanted: readonly string[] | null): string {
    const folded = wanted === null ? plain : foldedSql(wanted, this.bind);
    const operands = `${this.bind(patterns)}::text[]`;
    return this.test(field, 'string', (sql) => `(${folded(sql)} COLLATE "C" LIKE ANY (${operands}))`);
  }

  finds(field: Field, search: Search, part: string, isFolding: boolean): string {
    const folded = isFolding ? foldedSql([part], this.bind) : plain;
    const operand = `${this.bind(part)}::text`;
    const found: Record<Search, Test> = {
      startsWith: (text) => `starts_with(${text}, ${operand})`,
      endsWith: (text) => `(right(${text}, char_length(${operand})) = ${operand})`,
      stringContains: (text) => `(strpos(${text} COLLATE "C", ${operand}) > 0)`,
    };
    return this.test(field, 'string', (sql) => found[search](folded(sql)));
  }

  /**
   * @param ofList tests a list, if possible without a subquery, because PostgreSQL makes no parallel plans for
   * subqueries
   */
  private test(field: Field, kind: Kind, test: Test, ofList: Test = elementTest(kind, test)): string {
    if (field.own !== null) {
      const { type, sql } = ownField(field.own);
      if (type === 'text' && kind === 'string') return test(sql);
      if (type === 'number' && kind === 'number') return test(`(${sql})::float8`);
      return UNKNOWN;
    }
    const value = propertySql(field.path, this.bind);
    return `(CASE jsonb_typeof(${value}) WHEN '${kind}' THEN ${test(scalarOf(kind, value))}
      WHEN 'array' THEN ${ofList(value)} END)`;
  }
}

function kindOf(value: Constant | undefined): Kind {
  return typeof value as Kind;
}

function plain(sql: string): string {
  return sql;
}

function elementTest(kind: Kind, test: Test): Test {
  return (list) => `(SELECT bool_or(${test(scalarOf(kind, 'item'))}) FROM jsonb_array_elements(${list}) AS item
      WHERE jsonb_typeof(item) = '${kind}')`;
}

/** Returns SQL that tests whether a list has a wanted text. The SQL is null when the list has no text at all. */
function hasTextSql(list: string, wanted: string): string {
  return `(CASE WHEN ${list} ${wanted} THEN true
      WHEN jsonb_path_exists(${list}, 'strict $[*] ? (@.type() == "string")') THEN false END)`;
}

function scalarOf(kind: Kind, json: string): string {
  const text = `((${json}) #>> '{}')`;
  return kind === 'string' ? text : `${text}::${kind === 'number' ? 'float8' : 'boolean'}`;
}
