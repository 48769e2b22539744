import { sha256 } from '../../../platform/crypto/index.js';
import { ExactNumber } from '../../../platform/json/index.js';
import { type IngestRequest, PROPERTY_FIELDS, SENT_FIELDS } from '../fields/index.js';

type TopLevel = Exclude<keyof IngestRequest, 'payload' | 'properties'>;

/**
 * The members of a request in addition to its properties. The type makes the compiler report a member that is missing
 * in `SENT_FIELDS`.
 */
const COLUMNS: Readonly<Record<TopLevel, unknown>> = SENT_FIELDS;
const NAMES = (Object.keys(COLUMNS) as TopLevel[]).sort();

/**
 * Returns the SHA-256 of the canonical JSON of a request. The JSON holds the supplied top-level fields as parsed, and
 * the merged `payload` and `properties` without the names that those fields replace. Names are sorted, and no defaults
 * are filled in.
 */
export function requestHash(request: IngestRequest): Buffer {
  return sha256(canonicalRequest(request));
}

export function canonicalRequest(request: IngestRequest): string {
  const members: string[] = [];
  for (const name of NAMES) {
    const value = request[name];
    if (value !== undefined) members.push(`"${name}":${canonicalJson(value)}`);
  }
  const supplied = new Set<string>(
    PROPERTY_FIELDS.map(({ name }) => name).filter((name) => request[name] !== undefined),
  );
  const properties = Object.entries({ ...request.payload, ...request.properties });
  members.push(`"properties":${canonicalJson(Object.fromEntries(properties.filter(([name]) => !supplied.has(name))))}`);
  return `{${members.join(',')}}`;
}

/** Returns JSON without spaces and with names sorted by code units. Equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value);
  if (value instanceof ExactNumber) return value.canonical();
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as Record<string, unknown>;
  const members = Object.keys(object)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name])}`);
  return `{${members.join(',')}}`;
}
