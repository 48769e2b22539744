import type { FilterGroup } from './filter.js';
import type { FindingKind, FindingSeverity } from './finding-fields.js';

export const AGGREGATES = ['count', 'sum', 'avg', 'min', 'max', 'p50', 'p95', 'p99', 'error_rate'] as const;
export type Aggregate = (typeof AGGREGATES)[number];
/** The aggregates that count events and therefore take no field. */
export const COUNTING_AGGREGATES: readonly Aggregate[] = ['count', 'error_rate'];

export const COMPARED_BY = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const;
export type ComparedBy = (typeof COMPARED_BY)[number];

export const DIRECTIONS = ['up', 'down', 'both'] as const;
type Direction = (typeof DIRECTIONS)[number];

export const CONDITION_KINDS = ['match', 'threshold', 'rate_of_change', 'absence', 'anomaly'] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

/** The allowed lengths of a window in seconds. */
export const WINDOW_SECONDS = { min: 60, max: 86_400 } as const;
/** The allowed number of seconds between the compared window and the current one. The maximum is one week. */
export const COMPARE_SECONDS = { min: 60, max: 604_800 } as const;
/** The allowed thresholds of a change in percent. */
export const PERCENT = { gt: 0, max: 1_000_000 } as const;

export interface Measured {
  readonly window_seconds: number;
  readonly aggregate: Aggregate;
  /** A numeric field. Undefined when the aggregate counts events. */
  readonly aggregate_field?: string;
}

/**
 * A condition on each event, as clients write it. In conditions of every kind, the members of the filter are members of
 * the condition itself.
 */
export type MatchCondition = FilterGroup & { readonly kind: 'match' };
export type ThresholdCondition = FilterGroup &
  Measured & { readonly kind: 'threshold'; readonly op: ComparedBy; readonly value: number };
export type RateOfChangeCondition = FilterGroup &
  Measured & {
    readonly kind: 'rate_of_change';
    /** The seconds between the compared window and the current one. */
    readonly compare_seconds: number;
    readonly direction: Direction;
    readonly percent: number;
  };
export type AbsenceCondition = FilterGroup & { readonly kind: 'absence'; readonly window_seconds: number };
/** Fires on findings of Sentinel. The filter compares {@link FINDING_FIELDS}. */
export type AnomalyCondition = FilterGroup & {
  readonly kind: 'anomaly';
  /** The default is every kind. */
  readonly finding_kinds?: readonly FindingKind[];
  /** The default is `warning`. */
  readonly min_severity?: FindingSeverity;
};

export type WindowedCondition = ThresholdCondition | RateOfChangeCondition | AbsenceCondition;
export type Condition = MatchCondition | WindowedCondition | AnomalyCondition;

export function filterOf({ all, any, not }: FilterGroup): FilterGroup {
  return { ...(all && { all }), ...(any && { any }), ...(not && { not }) };
}
