export { ConditionalFilters, ConditionField, conditionOf } from './asked-condition.js';
export { EventsQuery, filterOf } from './asked-filters.js';
export { IntervalField } from './asked-intervals.js';
export { AskedWindow, isAll, windowHead, WindowResponse } from './asked-window.js';
export { AskedWindowsModule } from './asked-windows.module.js';
export { AskedWindows } from './asked-windows.js';
export { changeOf, ratioOf } from './ratios.js';
export { GroupField } from './scalar-field.js';
