export { EventLoopYield, YIELD_AFTER_MS } from './event-loop-yield.js';
export { Deadline, unlessAborted, within } from './deadline.js';
export { FairSemaphore, type Leave } from './fair-semaphore.js';
export { KeptResult } from './kept-result.js';
export { OverloadedError, KeyOverloadedError } from './overload.js';
export { Reservations } from './reservations.js';
export { AsyncContext } from './async-context.js';
export { mapMaybePromise } from './map-maybe-promise.js';
