export { checkQuery } from './checking/checker.js';
export { clickHouseOwnSql } from './compiling/clickhouse-condition-sql.js';
export { fieldReader, type Work } from './compiling/evaluate.js';
export { compileCondition, type EventCondition, eventCondition } from './compiling/event-condition.js';
export {
  type EventFilterNode,
  type EventQuery,
  type Field,
  fieldsIn,
  type Pipe,
  PIPES,
  type Query,
  type SampleQuery,
  type SequenceQuery,
  type Term,
} from './language/ast.js';
export { OWN_FIELDS, ownField, writtenProperty } from './language/field-names.js';
export { QUERY_LIMITS, REQUEST_LIMITS } from './language/limits.js';
export { nearestName } from './language/nearest.js';
export { parseQuery } from './language/query-parser.js';
export { LIST_WORDS, type OperatorSign, PATTERN_WORDS, RESERVED_WORDS } from './language/words.js';
export { readAt, readCondition } from './query-refusal.js';
export { FUNCTIONS } from './values/functions.js';
export { compareTexts, isScalar, type Scalar, type Value } from './values/value.js';
