import { brokenRule } from '../../platform/http/fields/index.js';
import { newId } from '../../platform/ids/index.js';
import type { Redact } from '../projects/index.js';
import type { IngestRequest } from './ingest.dto.js';
import { type NormalizedEvent, normalizeEvent } from './normalized-event.js';

const MAX_AHEAD_MS = 24 * 3600 * 1000;

/** The part of validation that needs the time. @throws ValidationError when the event's is too far ahead */
export function checkTime({ timestamp }: IngestRequest, arrivedAt: Date): void {
  if (timestamp !== undefined && timestamp.getTime() > arrivedAt.getTime() + MAX_AHEAD_MS) {
    throw brokenRule(['body', 'timestamp'], 'timestamp must not be more than 24 hours ahead', timestamp.toISOString());
  }
}

/** The event of a valid request, with an id of ours. */
export function acceptEvent(request: IngestRequest, arrivedAt: Date, redact: Redact): NormalizedEvent {
  return normalizeEvent(request, newId(), arrivedAt, redact);
}
