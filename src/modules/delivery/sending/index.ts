export { ClaimsWriter } from './claims.writer.js';
export type { Outbox } from './outbox.js';
export { OutboxColumns } from './outbox-columns.js';
export {
  type Claimant,
  type ClaimedRow,
  type DueTable,
  type Held,
  isLive,
  mayBeOrdered,
  type OutboxTable,
} from './outbox-table.js';
export { retryDelaySeconds, RETRY_STRATEGIES, type RetryPolicy, type RetryStrategy } from './retry-policy.js';
export { withoutName } from './rule-name.js';
export { SENT_REQUEST_DESCRIPTION, SentRequestResponse, sentRequestResponse } from './sent-request.dto.js';
export type { SentRequest } from './sent-request.js';
export { SendingEngine, sendingEngineOf } from './sending-engine.js';
export type { SendingLane } from './slots.js';
export { failedTry, outcomeOfHttp, type TryOutcome } from './try-outcome.js';
