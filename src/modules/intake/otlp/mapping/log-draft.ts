import type { EventDraft } from '../../core/index.js';
import type { LogRecord, Of } from '../records.js';
import { httpMembers } from './http-members.js';
import { draftOf, environmentOf, sourceOf, textAttribute, textOf } from './members.js';
import { isError, severityOf } from './severity.js';
import type { SharedMembers } from './shared-members.js';

/** Maps a log record to an event. @param shared the properties of its origin */
export function logDraft({ origin, item: record }: Of<LogRecord>, shared: SharedMembers): EventDraft {
  const { attributes, severityNumber } = record;
  const severity = severityOf(record.severityText, severityNumber);
  return draftOf(
    {
      event_type: record.eventName || (textAttribute(attributes, ['event.name']) ?? 'log'),
      source: sourceOf(origin),
      timestamp: record.time ?? record.observedTime,
      severity,
      message: record.body === undefined || record.body === null ? undefined : textOf(record.body),
      status: isError(severity, severityNumber) ? 'error' : undefined,
      environment: environmentOf(origin),
    },
    record,
    { ...httpMembers(attributes), trace_id: record.traceId, span_id: record.spanId, ...shared },
  );
}
