import type { EventDraft } from '../../core/index.js';
import type { LogRecord, Of } from '../records.js';
import { EventProperties } from './event-properties.js';
import { addHttp } from './http-members.js';
import { environmentOf, sourceOf, textAttribute, textOf } from './members.js';
import { isError, severityOf } from './severity.js';
import { addShared, type SharedMembers } from './shared-members.js';

/** Maps a log record to an event. @param shared the properties of its origin */
export function logDraft({ origin, item: record }: Of<LogRecord>, shared: SharedMembers): EventDraft {
  const { attributes, body, severityNumber } = record;
  const severity = severityOf(record.severityText, severityNumber);
  const eventName = record.eventName || (textAttribute(attributes, ['event.name']) ?? 'log');
  const properties = new EventProperties(record);
  addHttp(attributes, properties);
  properties.add('trace_id', record.traceId).add('span_id', record.spanId);
  addShared(shared, properties);
  return {
    event_type: eventName,
    source: properties.field('source', sourceOf(origin)),
    timestamp: record.time ?? record.observedTime,
    severity: properties.field('severity', severity),
    message: properties.field('message', body === undefined || body === null ? undefined : textOf(body)),
    status: properties.field('status', isError(severity, severityNumber) ? 'error' : undefined),
    environment: properties.field('environment', environmentOf(origin)),
    properties: properties.toPayload(),
  };
}
