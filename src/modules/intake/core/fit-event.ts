import type { IngestRequest } from '../../events/fields/index.js';
import { ExactNumber } from '../../../platform/json/index.js';
import type { EventDraft } from './event-draft.js';
import { readTime } from './event-time.js';
import { cutBytes, cutText, fitJson, setMember, storableText } from './fit-json.js';
import { MAX_CODE_POINTS, MAX_FULL_MESSAGE_BYTES, MAX_PROPERTIES } from './intake-limits.js';

const DEFAULT_TYPE = 'event';
const DEFAULT_SOURCE = 'intake';
const MAX_ORIGINAL_TIME = 200;
/** The level of a property. The payload itself is at level 1. */
const PROPERTY_LEVEL = 2;

/** The property that holds a message of more than 2,000 characters. */
export const MESSAGE_FULL = 'message_full';
/** The property that holds a time which cannot be read. */
export const TIMESTAMP_ORIGINAL = 'timestamp_original';

/** Cuts a draft to the limits of an event, and marks in properties what was cut. It refuses nothing. */
export function fitEvent(draft: EventDraft, arrivedAt: Date): IngestRequest {
  const time = readTime(draft.timestamp, arrivedAt);
  const message = textOf(draft.message);
  const payload = fitProperties(draft.properties);
  if (time === null && isGiven(draft.timestamp)) payload[TIMESTAMP_ORIGINAL] = originalTime(draft.timestamp);
  const shortMessage = message && cutText(message, MAX_CODE_POINTS.message);
  if (message !== shortMessage) payload[MESSAGE_FULL] = cutBytes(message ?? '', MAX_FULL_MESSAGE_BYTES);
  return {
    event_type: short(draft, 'event_type') ?? DEFAULT_TYPE,
    source: short(draft, 'source') ?? DEFAULT_SOURCE,
    event_id: short(draft, 'event_id'),
    timestamp: time ?? arrivedAt,
    severity: short(draft, 'severity'),
    message: shortMessage,
    status: short(draft, 'status'),
    environment: short(draft, 'environment'),
    payload,
  };
}

function short(draft: EventDraft, name: keyof typeof MAX_CODE_POINTS): string | undefined {
  const max = MAX_CODE_POINTS[name];
  // Only the part that can be kept is scanned, because many events may share a long text. A code point has at most two
  // code units.
  const text = textOf(draft[name]?.slice(0, 2 * max + 2));
  return text && cutText(text, max);
}

/** Empty text is the same as none. */
function textOf(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : storableText(text);
}

function isGiven(time: unknown): boolean {
  return time !== undefined && time !== null && time !== '';
}

function originalTime(time: unknown): unknown {
  if (typeof time === 'string') return cutText(storableText(time), MAX_ORIGINAL_TIME);
  if (time instanceof Date) return String(time);
  return typeof time === 'number' || time instanceof ExactNumber || typeof time === 'boolean'
    ? fitJson(time, 1)
    : cutText(storableText(JSON.stringify(time)), MAX_ORIGINAL_TIME);
}

/** Returns a new object without null members and with at most 512 members. */
function fitProperties(properties: EventDraft['properties']): Record<string, unknown> {
  const fitted: Record<string, unknown> = {};
  let [kept, dropped] = [0, 0];
  for (const name of Object.keys(properties)) {
    const value = properties[name];
    if (value === null || value === undefined) continue;
    if (kept === MAX_PROPERTIES) dropped += 1;
    else {
      kept += 1;
      setMember(fitted, storableText(name), fitJson(value, PROPERTY_LEVEL));
    }
  }
  if (dropped > 0) fitted.properties_dropped = dropped;
  return fitted;
}
