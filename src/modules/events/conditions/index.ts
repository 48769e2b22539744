export { EventConditionsModule } from './conditions.module.js';
export { ConditionField, readAggregateField, STORED_CONDITION_DOCUMENT, storedCondition } from './condition-kind.js';
export {
  type AbsenceCondition,
  type AnomalyCondition,
  type Aggregate,
  type ComparedBy,
  type Condition,
  type ConditionKind,
  filterOf,
  type RateOfChangeCondition,
  type ThresholdCondition,
} from './conditions.js';
export {
  EVENT_FIELDS,
  type EventField,
  type FilterGroup,
  type FilterNode,
  type FilterSubject,
  pathOfProperty,
  type Vocabulary,
} from './filter.js';
export { FINDING_KINDS, FINDING_SEVERITIES, type FindingKind, type FindingSeverity } from './finding-fields.js';
export { FilterField, filterVocabulary, storedFilter, StoredFilterRefused } from './filter-kind.js';
export { FilterRun, FilterTooCostly } from './filter-run.js';
export { compileFilter, type Matcher, readExactField, readField } from './matcher.js';
export { fieldSql, filterSql, numberSql, scalarSql, type SubjectRow, subjectSql } from './filter-sql.js';
export type { OperatorName } from './operators/registry.js';
export type { Bind } from './operators/sql.js';
export { eventTypesOf, exactValuesOf, fieldsOf, patternsOf } from './filter-analysis.js';
export { TooManyPatternTrials } from './pattern-trials.errors.js';
export { PatternTrialsService } from './pattern-trials.service.js';
export { GroupByField } from './group-by.js';
export { MAX_SEARCHED, parseFoldedPattern, parsePattern, PatternFault } from './patterns/pattern-syntax.js';
export { PatternMachine } from './patterns/pattern-machine.js';
export { exactPropertyAt, propertyAt } from './filter.js';
export { propertiesSql, propertySql } from './filter-sql.js';
export { clickHouseFilter } from './clickhouse-filter.js';
export {
  CLICKHOUSE_FIELDS,
  clickHouseFieldReads,
  clickHouseIsUnreadable,
  clickHousePropertySql,
} from './clickhouse-property.js';
