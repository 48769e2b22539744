export { type ClaimedWork, Dispatcher, type DispatcherOptions, type LaneShare, type WorkSource } from './dispatcher.js';
export { DuePoller } from './due-poller.js';
export { backlogSql, dueLanesSql, type DueTable, lockedDueSql } from './due-rows.js';
export { claimOwner } from './owner.js';
export {
  retryAfterSeconds,
  retryDelaySeconds,
  RETRY_STRATEGIES,
  type RetryPolicy,
  type RetryStrategy,
} from './retry-policy.js';
export { failedTry, type HttpRules, outcomeOfHttp, type TryOutcome } from './try-outcome.js';
export { shared } from './shared.js';
export { type Lane, Slots } from './slots.js';
export { untilWritten } from './until-written.js';
