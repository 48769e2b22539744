export { ConditionalFilters, ConditionField, conditionOf } from './condition-field.js';
export { ProjectEventFilters, filterOf } from './event-filters.js';
export { IntervalField } from './interval-field.js';
export { AskedWindow, isAll, windowHead, WindowResponse } from './time-range.js';
export { TimeRangesModule } from './time-ranges.module.js';
export { TimeRangeResolver } from './time-range.resolver.js';
export { changeOf, ratioOf } from './ratios.js';
export { GroupField } from './scalar-field.js';
