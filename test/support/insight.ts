import fc from 'fast-check';
import { v7 as newId } from 'uuid';
import { propertyRuns } from './property-runs.js';
import type { EventRow } from './sql-builders/event-rows.js';

/** The number of cases for each property of analytics; `INSIGHT_RUNS` overrides it. */
export const INSIGHT_RUNS = Number(process.env.INSIGHT_RUNS ?? propertyRuns(40, 12));

const HOUR_MS = 3_600_000;
const HOURS_BACK = 72;
const SOURCES = [newId(), newId(), null];

/** Properties that senders mix: text and numbers under the same name, lists, objects, null, and unusual names. */
const property = fc.oneof(
  fc.constantFrom<unknown>('pro', 'free', 'Ä😀', '', '1', 'true', 'x'.repeat(300), `${'x'.repeat(300)}y`),
  fc.constantFrom<unknown>(0, 1, 1, 2.5, -3, 1e9, true, false),
  fc.constantFrom<unknown>(null, ['pro'], { plan: 'pro' }, undefined),
);

/** A distance before `end` in milliseconds. It is often exactly at an hour, or a millisecond before or after. */
export const moment = fc.oneof(
  fc.integer({ min: 0, max: HOURS_BACK * HOUR_MS }),
  fc
    .tuple(fc.integer({ min: 0, max: HOURS_BACK }), fc.constantFrom(-1, 0, 1))
    .map(([hour, off]) => Math.max(0, hour * HOUR_MS + off)),
);

export type KnownEvent = Required<Pick<EventRow, 'timestamp' | 'event' | 'properties'>> &
  Required<Pick<EventRow, 'log_status' | 'log_method' | 'log_endpoint'>> & {
    readonly id: string;
    readonly source_id: string | null;
    readonly severity: string | null;
    readonly status: string | null;
    readonly environment: string | null;
    readonly log_latency_ms: number | undefined;
  };

/** Events of several days before an instant, in no order. */
export const someEvents = (end: number): fc.Arbitrary<KnownEvent> =>
  fc
    .record({
      ago: moment,
      event: fc.constantFrom('a', 'b', 'c.error', 'd'),
      source_id: fc.constantFrom(...SOURCES),
      severity: fc.constantFrom('info', 'critical', null),
      status: fc.constantFrom('ok', null),
      environment: fc.constantFrom('production', 'staging', null),
      log_status: fc.constantFrom(200, 404, 499, 500, 503),
      log_method: fc.constantFrom('GET', 'EVENT'),
      log_endpoint: fc.constantFrom('/cart', '/'),
      log_latency_ms: fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }),
      plan: property,
      dotted: property,
      proto: property,
      n: fc.option(fc.integer({ min: -5, max: 5 }), { nil: undefined }),
    })
    .map(({ ago, plan, dotted, proto, n, ...row }) => ({
      ...row,
      id: newId(),
      timestamp: new Date(end - ago),
      properties: JSON.parse(
        JSON.stringify({ plan, 'a.b': dotted, a: { b: 'below' }, n }).replace(
          /}$/,
          proto === undefined ? '}' : `,"__proto__":${JSON.stringify(proto)}}`,
        ),
      ) as Record<string, unknown>,
    }));

/** Returns the value of a field; null for a missing field, an object or a list. */
export function scalarAt(row: KnownEvent, field: string): string | number | boolean | null {
  const own: Record<string, unknown> = {
    ...{ event: row.event, source: 's', source_id: row.source_id, severity: row.severity, status: row.status },
    ...{ environment: row.environment, 'log.method': row.log_method, 'log.endpoint': row.log_endpoint },
    ...{ 'log.status': row.log_status, 'log.latency_ms': row.log_latency_ms },
  };
  const value = field.startsWith('properties.')
    ? propertyOf(row.properties, field.slice('properties.'.length))
    : own[field];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function propertyOf(properties: Record<string, unknown>, path: string): unknown {
  const named = Object.hasOwn(properties, path) ? properties[path] : undefined;
  return path === 'a.b' && (named === null || named === undefined) ? 'below' : named;
}

const KINDS = ['string', 'number', 'boolean', 'object'];

/**
 * Compares values: text before numbers, numbers before booleans, booleans before null, each kind in ascending order.
 */
export function compareScalars(one: unknown, other: unknown): number {
  const kinds = KINDS.indexOf(typeof one) - KINDS.indexOf(typeof other);
  if (kinds !== 0) return kinds;
  if (typeof one === 'string' && typeof other === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return Number(one) - Number(other);
}

/** Returns the quantile by nearest rank. */
export function rankOf(values: readonly number[], quantile: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(quantile * sorted.length)) - 1] ?? null;
}
