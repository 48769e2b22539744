export { LOG_COLUMNS, LOG_JOIN, type LoggedEvent, logRow } from './log-row.js';
export { LogRow } from './logs.dto.js';
export { LogsModule } from './logs.module.js';
export { LogSearchIndexRepository } from './search-index.repository.js';
export { logSearchIndexJob } from './search-index.job.js';
