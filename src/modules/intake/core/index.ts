export type { DraftOrRefusal, EventDraft } from './event-draft.js';
export { cutBytes, cutText, setMember } from './fit-json.js';
export { IntakeResponse } from './intake.dto.js';
export { INTAKE_ERRORS, STORE_ERRORS } from './intake-errors.js';
export { MAX_INTAKE_BYTES } from './intake-limits.js';
export { IntakeModule } from './intake.module.js';
export { answered, type IntakeRequest, IntakeService, repeatOf, repeatOfBytes } from './intake.service.js';
export { type JsonItem, parseItem, readItems, readLines, readValue } from './json-items.js';
export type { Reading } from './reading.js';
