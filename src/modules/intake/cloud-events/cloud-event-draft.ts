import { isUtf8 } from 'node:buffer';
import { isObject } from '../../../platform/http/validation/index.js';
import type { Redact } from '../../tenancy/projects/index.js';
import { cutBytes, type DraftOrRefusal, parseItem } from '../core/index.js';

/** Attributes that do not become properties, because they have a field of their own or only describe the transport. */
const OTHER_THAN_PROPERTIES: ReadonlySet<string> = new Set([
  'specversion',
  'id',
  'source',
  'type',
  'time',
  'datacontenttype',
  'data',
  'data_base64',
]);
const REQUIRED = ['id', 'source', 'type'] as const;
/**
 * Maximum size of data that is not a JSON object or list. Longer data is cut. Text is measured in bytes of UTF-8, and
 * binary data in characters of base64.
 */
const MAX_DATA_BYTES = 64 * 1024;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Only this number of characters of a media type is read, because senders may send one of any length. */
const MAX_MEDIA_TYPE = 200;

/** The context attributes and the data of an event, in the same form for every mode. */
export interface CloudEventParts {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly data: CloudEventData;
}

/** Data that was read as JSON or text, the bytes of any other data, or the reason why the data cannot be read. */
export type CloudEventData = ReadData | { readonly refusal: string };

type ReadData = { readonly value: unknown } | { readonly bytes: Buffer } | null;

/** Returns the draft of an event in structured mode, which is a JSON value. @param redact as in `cloudEventDraft` */
export function structuredDraft(value: unknown, redact: Redact): DraftOrRefusal {
  if (!isObject(value)) return { refusal: 'The event must be a JSON object' };
  const { data: _, ...attributes } = value;
  return cloudEventDraft({ attributes, data: structuredData(value) }, redact);
}

/**
 * Returns the draft of an event with its attributes and data.
 * @param redact masks attributes and data under the names of CloudEvents
 */
export function cloudEventDraft({ attributes, data }: CloudEventParts, redact: Redact): DraftOrRefusal {
  const { specversion, id, source } = attributes;
  if (typeof specversion !== 'string' || !/^1\.0(?:\.\d+)?$/.test(specversion))
    return { refusal: 'The CloudEvents attribute specversion must be 1.0' };
  const missing = REQUIRED.find((name) => typeof attributes[name] !== 'string' || attributes[name] === '');
  if (missing !== undefined) return { refusal: `The CloudEvents attribute ${missing} must be text that is not empty` };
  if (data !== null && 'refusal' in data) return data;
  const stored = redact(attributes);
  const isBase64Masked = stored.data_base64 !== attributes.data_base64;
  const storedData = isBase64Masked ? { value: stored.data_base64 } : maskedData(data, redact);
  const context = Object.entries(stored).filter(([name]) => !OTHER_THAN_PROPERTIES.has(name));
  return {
    draft: {
      event_type: stored.type as string,
      source: stored.source as string,
      event_id: stored.id as string,
      timestamp: stored.time,
      properties: withContext(propertiesOf(storedData), context),
      uniqueKey: `cloudevents ${JSON.stringify([source, id])}`,
    },
  };
}

/**
 * Returns bytes as text when the media type is a text type and the bytes are UTF-8, as bytes otherwise, and null when
 * there are none. The caller reads JSON.
 */
export function dataOfBytes(bytes: Buffer, mediaType: string | undefined): CloudEventData {
  if (bytes.length === 0) return null;
  return mediaType !== undefined && isTextType(mediaType) && isUtf8(bytes) ? { value: bytes.toString() } : { bytes };
}

export function isJsonType(mediaType: string | undefined): boolean {
  if (mediaType === undefined) return true;
  const essence = essenceOf(mediaType);
  return essence.endsWith('/json') || essence.endsWith('+json');
}

function isTextType(mediaType: string): boolean {
  const essence = essenceOf(mediaType);
  return essence.startsWith('text/') || essence.endsWith('/xml') || essence.endsWith('+xml');
}

/** Returns type and subtype of a media type, without its parameters. */
function essenceOf(mediaType: string): string {
  const [essence = ''] = mediaType.slice(0, MAX_MEDIA_TYPE).split(';', 1);
  return essence.trim().toLowerCase();
}

function structuredData({ data, data_base64: base64, datacontenttype: type }: Record<string, unknown>): CloudEventData {
  if (base64 === undefined || base64 === null) return data === undefined || data === null ? null : { value: data };
  if (data !== undefined && data !== null) return { refusal: 'An event has either data or data_base64' };
  if (typeof base64 !== 'string' || !BASE64.test(base64)) return { refusal: 'data_base64 must be base64' };
  const bytes = Buffer.from(base64, 'base64');
  const mediaType = typeof type === 'string' ? type : 'application/octet-stream';
  if (!isJsonType(mediaType)) return dataOfBytes(bytes, mediaType);
  const parsed = parseItem(bytes);
  return 'value' in parsed ? parsed : { bytes };
}

/**
 * Masks the data before its members become properties, so that redaction paths that begin with `data` apply to them.
 */
function maskedData(data: ReadData, redact: Redact): ReadData {
  if (data === null) return null;
  const { data: value } = redact({ data: 'value' in data ? data.value : '' });
  return 'value' in data || value !== '' ? { value } : data;
}

/** Adds attributes to the data. An attribute whose name the data already has is kept in `cloudevents_attributes`. */
function withContext(
  data: Record<string, unknown>,
  context: readonly (readonly [name: string, value: unknown])[],
): Record<string, unknown> {
  const displaced = context.filter(([name]) => Object.hasOwn(data, name));
  if (displaced.length === 0) return { ...Object.fromEntries(context), ...data };
  return { ...Object.fromEntries(context), ...data, cloudevents_attributes: Object.fromEntries(displaced) };
}

function propertiesOf(data: ReadData): Record<string, unknown> {
  if (data === null) return {};
  if ('value' in data) {
    const { value } = data;
    if (isObject(value)) return value;
    return { data: typeof value === 'string' ? cutBytes(value, MAX_DATA_BYTES) : value };
  }
  const kept = data.bytes.subarray(0, (MAX_DATA_BYTES / 4) * 3);
  return { data_base64: kept.toString('base64'), ...(kept.length < data.bytes.length && { data_truncated: true }) };
}
