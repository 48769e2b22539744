import { FINDING_KINDS, type FindingKind } from '../../../events/conditions/index.js';

export { FINDING_KINDS, type FindingKind };

export const METRICS = ['events', 'error_rate', 'p95_latency_ms', 'event_types', 'endpoints'] as const;
export type Metric = (typeof METRICS)[number];

/** The types of series, from the widest to the narrowest. */
export const SERIES_TYPES = ['project', 'source', 'event'] as const;
export type SeriesType = (typeof SERIES_TYPES)[number];

/**
 * Names a series of a project: that of the whole project (value null), of an Event Source (its id) or of an event type.
 */
export interface SeriesName {
  readonly type: SeriesType;
  readonly value: string | null;
}

/** Identifies the object of a finding. A subject has at most one unresolved finding at a time. */
export interface FindingSubject {
  readonly kind: FindingKind;
  readonly series: SeriesName;
  readonly metric: Metric;
}

/** Returns the key of a subject in maps. */
export function subjectKey({ kind, series, metric }: FindingSubject): string {
  return JSON.stringify([kind, series.type, series.value, metric]);
}
