// The same events in the forms of each protocol, in batches.
import protobuf from 'protobufjs/minimal.js';
import { EVENT } from '../event.mjs';

/** Stands in each body where the number of the request goes. A body that repeats would only be answered again. */
const MARK = '#00000000#';
const LENGTH = 2;
const SERVER_ERROR_SHARE = 50;

/** A batch in one form. */
class Body {
  constructor(path, type, bytes) {
    Object.assign(this, { path, type, bytes: Buffer.from(bytes) });
    this.places = [];
    for (let at = this.bytes.indexOf(MARK); at >= 0; at = this.bytes.indexOf(MARK, at + 1)) this.places.push(at);
    if (this.places.length !== 1) throw new Error('the number of the request must stand in a body once');
  }

  /** Returns the body with the number of a request. The bytes are valid until the next call. */
  numbered(number) {
    this.bytes.write(`#${String(number).padStart(MARK.length - 2, '0')}#`, this.places[0], 'latin1');
    return this.bytes;
  }
}

/** Returns the forms of a batch by their names. */
export function bodiesOf(events) {
  const batch = Array.from({ length: events }, (_, index) => eventAt(index));
  const lines = batch.map((event) => JSON.stringify(event));
  return {
    ndjson: new Body('/v1/events/ingest', 'application/x-ndjson', lines.join('\n')),
    json: new Body('/intake/json', 'application/json', `[${lines.join(',')}]`),
    'otlp protobuf': new Body('/intake/otlp/v1/logs', 'application/x-protobuf', protobufOf(batch)),
    'otlp json': new Body('/intake/otlp/v1/logs', 'application/json', JSON.stringify(requestOf(batch))),
  };
}

function eventAt(index) {
  const status = index % SERVER_ERROR_SHARE === 1 ? 500 : 200;
  const payload = { ...EVENT.payload, status_code: status, latency_ms: index % 100, session: `session-${index}` };
  const message = index === 0 ? MARK : `${EVENT.message} ${index}`;
  return { ...EVENT, timestamp: new Date(Date.now() - index).toISOString(), message, payload };
}

/** Returns an export request in the form of OTLP in JSON. */
function requestOf(batch) {
  const resource = pairs({ 'service.name': EVENT.source, 'deployment.environment.name': EVENT.environment });
  const logRecords = batch.map(({ event_type, severity, timestamp, message, payload }) => ({
    timeUnixNano: `${Date.parse(timestamp)}000000`,
    severityNumber: 9,
    severityText: severity,
    eventName: event_type,
    body: valueOf(message),
    attributes: pairs(payload),
  }));
  return {
    resourceLogs: [{ resource: { attributes: resource }, scopeLogs: [{ scope: { name: 'bench' }, logRecords }] }],
  };
}

function pairs(members) {
  return Object.entries(members).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value) {
  if (typeof value === 'string') return { stringValue: value };
  if (Number.isInteger(value)) return { intValue: String(value) };
  if (typeof value === 'number') return { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(valueOf) } };
  return { kvlistValue: { values: pairs(value) } };
}

/** Returns the same request in protobuf. */
function protobufOf(batch) {
  const { resource, scopeLogs } = requestOf(batch).resourceLogs[0];
  const { scope, logRecords } = scopeLogs[0];
  const message = (fields) => {
    const writer = protobuf.Writer.create();
    fields(writer);
    return writer.finish();
  };
  const nested = (writer, field, fields) => writer.uint32(field * 8 + LENGTH).bytes(message(fields));
  const text = (writer, field, value) => writer.uint32(field * 8 + LENGTH).string(value);
  const anyValue = (value) => (writer) => {
    if (value.stringValue !== undefined) text(writer, 1, value.stringValue);
    else if (value.intValue !== undefined) writer.uint32(3 * 8).int64(Number(value.intValue));
    else if (value.doubleValue !== undefined) writer.uint32(4 * 8 + 1).double(value.doubleValue);
    else if (value.arrayValue !== undefined)
      nested(writer, 5, (list) => value.arrayValue.values.forEach((item) => nested(list, 1, anyValue(item))));
    else nested(writer, 6, (map) => value.kvlistValue.values.forEach((item) => nested(map, 1, pair(item))));
  };
  const pair = ({ key, value }) => {
    return (writer) => {
      text(writer, 1, key);
      nested(writer, 2, anyValue(value));
    };
  };
  const record = (log) => (writer) => {
    const nanoseconds = BigInt(log.timeUnixNano);
    writer
      .uint32(1 * 8 + 1)
      .fixed32(Number(nanoseconds & 0xffffffffn))
      .fixed32(Number(nanoseconds >> 32n));
    writer.uint32(2 * 8).uint32(log.severityNumber);
    text(writer, 3, log.severityText);
    nested(writer, 5, anyValue(log.body));
    for (const attribute of log.attributes) nested(writer, 6, pair(attribute));
    text(writer, 12, log.eventName);
  };
  return message((request) =>
    nested(request, 1, (group) => {
      nested(group, 1, (writer) => resource.attributes.forEach((attribute) => nested(writer, 1, pair(attribute))));
      nested(group, 2, (inner) => {
        nested(inner, 1, (writer) => text(writer, 1, scope.name));
        for (const log of logRecords) nested(inner, 2, record(log));
      });
    }),
  );
}
