export {
  type Bind,
  type Claimant,
  type ClaimedRow,
  ClaimsRepository,
  type Held,
  type OutboxTable,
} from './claims.repository.js';
export { Dispatcher, type DispatcherOptions, type LaneShare, type WorkSource } from './dispatcher.js';
export { isLive } from './due-rows.repository.js';
export type { Outbox } from './outbox.js';
export {
  retryAfterSeconds,
  retryDelaySeconds,
  RETRY_STRATEGIES,
  type RetryPolicy,
  type RetryStrategy,
} from './retry-policy.js';
export { claimOwner, SendingEngine, sendingEngineOf } from './sending-engine.js';
export { type Lane, Slots } from './slots.js';
export { failedTry, outcomeOfHttp, type TryOutcome } from './try-outcome.js';
