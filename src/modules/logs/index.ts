export { LOG_COLUMNS, type LoggedEvent, logRow } from './log-row.js';
export { LogRow } from './logs.dto.js';
export { LogsModule } from './logs.module.js';
