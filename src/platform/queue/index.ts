export {
  defineJob,
  JobHandler,
  type JobContext,
  type JobDeclaration,
  type JobDefinition,
  type JobProcessor,
  type NoPayload,
} from './job-definition.js';
export { JobQueue, type JobState, type QueueHealth, type ScheduledRun } from './job-queue.js';
export { JobWiringError, QueueUnavailableError } from './queue-errors.js';
export { QueueModule } from './queue.module.js';
export { RUN_STATES, type RunState, runStateOf } from './run-state.js';
export type { QueueBackend, QueueOptions } from './queue.options.js';
