export { LOG_COLUMNS, LOG_JOIN, LOG_ROWS, type LoggedEvent, logRow } from './log-row.js';
export { LogRow } from './logs.dto.js';
export { LogsModule } from './logs.module.js';
export { logSearchIndexJob } from './search-index.job.js';
