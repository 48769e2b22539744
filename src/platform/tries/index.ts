export { type ClaimedWork, Dispatcher, type DispatcherOptions, type FairShare, type WorkSource } from './dispatcher.js';
export { claimOwner } from './owner.js';
export {
  retryAfterSeconds,
  retryDelaySeconds,
  RETRY_STRATEGIES,
  type RetryPolicy,
  type RetryStrategy,
} from './retry-policy.js';
export { failedTry, type HttpRules, outcomeOfHttp, type TryOutcome } from './try-outcome.js';
export { Slots } from './slots.js';
export { untilWritten } from './until-written.js';
