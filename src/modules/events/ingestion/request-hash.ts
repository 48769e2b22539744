import { sha256 } from '../../../platform/crypto/index.js';
import type { IngestRequest } from './ingest.dto.js';
import { REPEATED } from './normalized-event.js';

const FIELDS = [
  'environment',
  'event_id',
  'event_type',
  'message',
  'severity',
  'source',
  'status',
  'timestamp',
] as const;

/**
 * SHA-256 of the canonical JSON of a request: its known fields as read, and payload and properties as what they become
 * under them (SERVICE 2.7), names sorted, nothing that was filled in.
 */
export function requestHash(request: IngestRequest): Buffer {
  return sha256(canonicalRequest(request));
}

export function canonicalRequest(request: IngestRequest): string {
  const members: string[] = [];
  for (const name of FIELDS) {
    const value = request[name];
    if (value !== undefined) members.push(`"${name}":${canonicalJson(value)}`);
  }
  const supplied = new Set<string>(REPEATED.filter((name) => request[name] !== undefined));
  const properties = Object.entries({ ...request.payload, ...request.properties });
  members.push(`"properties":${canonicalJson(Object.fromEntries(properties.filter(([name]) => !supplied.has(name))))}`);
  return `{${members.join(',')}}`;
}

/** JSON without spaces, names sorted by code units; equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as Record<string, unknown>;
  const members = Object.keys(object)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name])}`);
  return `{${members.join(',')}}`;
}
