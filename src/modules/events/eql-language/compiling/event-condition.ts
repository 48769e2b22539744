import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Bind } from '../../../../platform/database/parameters.js';
import { clickHouseFieldReads, clickHousePropertySql, type FilterSubject } from '../../conditions/index.js';
import { checkCondition } from '../checking/checker.js';
import { type Expression, type Field, fieldsIn } from '../language/ast.js';
import { parseCondition } from '../language/query-parser.js';
import { boundSql } from './condition-sql.js';
import { clickHouseConditionSql } from './clickhouse-condition-sql.js';
import { isBounded, isExact } from './exact-condition.js';
import { truthOf } from '../values/value.js';
import { evaluatorOf, type Work } from './evaluate.js';

/** An EQL condition on events, as SQL and as a test in memory. */
export interface EventCondition {
  /**
   * Whether SQL alone decides which events match. If not, SQL excludes only some of the events that do not match, and
   * {@link truth} must test the remaining events.
   */
  readonly isExact: boolean;
  /** The fields that the condition reads. */
  readonly fields: readonly Field[];
  /** Returns SQL on the row `e` of `events`. Every value is bound as a parameter. */
  sql(bind: Bind): string;
  /** Returns SQL on the ClickHouse rows `e`. */
  clickHouseSql(bind: BindValue): string;
  /** Returns SQL for each property that the fields are read from, in the ClickHouse rows `e`. */
  clickHouseProperties(bind: BindValue): readonly string[];
  /**
   * Evaluates the condition on a subject with the fields. An event matches when the result is true. Null means unknown.
   */
  truth(subject: FilterSubject, work: Work): boolean | null;
}

/**
 * Reads, checks and compiles a single condition.
 * @throws QueryFault
 */
export function compileCondition(text: string): EventCondition {
  const expression = parseCondition(text);
  checkCondition(expression);
  return eventCondition(expression);
}

/** Compiles a checked expression. */
export function eventCondition(expression: Expression): EventCondition {
  const evaluate = evaluatorOf(expression);
  return {
    isExact: isExact(expression),
    fields: fieldsIn(expression),
    sql: (bind) => (isBounded(expression) ? boundSql(expression, bind) : 'true'),
    clickHouseSql: (bind) => clickHouseConditionSql(expression, bind),
    clickHouseProperties: (bind) =>
      fieldsIn(expression).flatMap(({ own, path }) =>
        own === null ? [clickHousePropertySql(path, bind)] : clickHouseFieldReads(own),
      ),
    truth: (subject, work) => truthOf(evaluate(subject, work)),
  };
}
