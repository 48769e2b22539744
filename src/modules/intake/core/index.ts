export type { DraftOrRefusal, EventDraft } from './event-draft.js';
export { readTime } from './event-time.js';
export { setMember } from './fit-json.js';
export { cutBytes } from './fit-json.js';
export type { IntakeAnswer } from './intake-answer.js';
export { IntakeResponse, IntakeResult } from './intake.dto.js';
export { INTAKE_ERRORS } from './intake-errors.js';
export { MAX_INTAKE_BYTES, MAX_INTAKE_EVENTS } from './intake-limits.js';
export { IntakeModule } from './intake.module.js';
export {
  answered,
  type IntakeRequest,
  IntakeService,
  type RepeatKey,
  repeatOf,
  repeatOfBytes,
} from './intake.service.js';
export { type JsonItem, JsonItemsReader } from './json-items.js';
