import { SPAN_ID_BYTES, TRACE_ID_BYTES } from '../limits.js';
import { type LogRecord, newLogRecord, type Of } from '../records.js';
import { id, instant, integer, type JsonMessage, text } from './members.js';
import { recordsOf } from './origins.js';
import { addAttributes, valueOf } from './values.js';

const GROUPS = { resources: 'resourceLogs', scopes: 'scopeLogs', records: 'logRecords' };

/** Reads an `ExportLogsServiceRequest`. @throws UndecodableBody */
export function logsOf(body: unknown): Generator<Of<LogRecord>, void> {
  return recordsOf(body, GROUPS, logRecordOf);
}

function logRecordOf(sent: JsonMessage): LogRecord {
  const record = newLogRecord();
  addAttributes(sent['attributes'], sent['droppedAttributesCount'], record);
  record.time = instant(sent['timeUnixNano']);
  record.observedTime = instant(sent['observedTimeUnixNano']);
  record.severityNumber = integer(sent['severityNumber']);
  record.severityText = text(sent['severityText']);
  record.body = sent['body'] === undefined || sent['body'] === null ? undefined : valueOf(sent['body'], record, 0);
  record.traceId = id(sent['traceId'], TRACE_ID_BYTES);
  record.spanId = id(sent['spanId'], SPAN_ID_BYTES);
  record.eventName = text(sent['eventName']);
  return record;
}
