import { brokenRule } from '../../platform/http/fields/index.js';
import { newId } from '../../platform/ids/index.js';
import type { Redact } from '../projects/index.js';
import type { IngestRequest } from './ingest.dto.js';
import { type NormalizedEvent, normalizeEvent } from './normalized-event.js';

const MAX_AHEAD_MS = 24 * 3600 * 1000;

/** The event of a valid request, with an id of ours. @throws ValidationError when its time is too far ahead */
export function acceptEvent(request: IngestRequest, arrivedAt: Date, redact: Redact): NormalizedEvent {
  const { timestamp } = request;
  if (timestamp !== undefined && timestamp.getTime() > arrivedAt.getTime() + MAX_AHEAD_MS) {
    throw brokenRule(
      ['body', 'timestamp'],
      'timestamp must not be more than 24 hours ahead',
      timestamp.toISOString(),
    );
  }
  return normalizeEvent(request, newId(), arrivedAt, redact);
}
