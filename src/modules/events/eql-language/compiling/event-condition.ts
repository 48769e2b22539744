import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Bind } from '../../../../platform/database/parameters.js';
import { copiedPropertySql, type FilterSubject } from '../../conditions/index.js';
import { checkCondition } from '../checking/checker.js';
import { type Expression, type Field, fieldsIn } from '../language/ast.js';
import { parseCondition } from '../language/query-parser.js';
import { boundSql } from './condition-sql.js';
import { copiedConditionSql } from './copied-condition-sql.js';
import { isBounded, isExact } from './exact-condition.js';
import { truthOf } from '../values/value.js';
import { evaluatorOf, type Work } from './evaluate.js';

/** A condition on events in both its forms (DECISIONS 17). */
export interface EventCondition {
  /**
   * Whether SQL alone says which events fit. Where it does not, SQL leaves out some that do not fit, and those that are
   * left are asked by {@link truth}.
   */
  readonly isExact: boolean;
  /** The fields that it looks at. */
  readonly fields: readonly Field[];
  /** On the row `e` of `events`; every value is bound. */
  sql(bind: Bind): string;
  /** The same on the rows `e` of ClickHouse. */
  copiedSql(bind: BindValue): string;
  /** The properties among the fields, of the rows `e` of ClickHouse. */
  copiedProperties(bind: BindValue): readonly string[];
  /** Of a subject with those fields; null where it cannot be known. An event fits where it is true. */
  truth(subject: FilterSubject, work: Work): boolean | null;
}

/**
 * Reads and compiles a condition by itself.
 * @throws QueryFault
 */
export function compileCondition(text: string): EventCondition {
  const expression = parseCondition(text);
  checkCondition(expression);
  return eventCondition(expression);
}

/** Of an expression that was checked. */
export function eventCondition(expression: Expression): EventCondition {
  const evaluate = evaluatorOf(expression);
  return {
    isExact: isExact(expression),
    fields: fieldsIn(expression),
    sql: (bind) => (isBounded(expression) ? boundSql(expression, bind) : 'true'),
    copiedSql: (bind) => copiedConditionSql(expression, bind),
    copiedProperties: (bind) =>
      fieldsIn(expression).flatMap(({ own, path }) => (own === null ? [copiedPropertySql(path, bind)] : [])),
    truth: (subject, work) => truthOf(evaluate(subject, work)),
  };
}
