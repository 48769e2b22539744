import type { FilterGroup } from './filter.js';
import type { FindingKind, FindingSeverity } from './finding-fields.js';

export const AGGREGATES = ['count', 'sum', 'avg', 'min', 'max', 'p50', 'p95', 'p99', 'error_rate'] as const;
export type Aggregate = (typeof AGGREGATES)[number];
/** Those that need no field: they count events. */
export const COUNTING_AGGREGATES: readonly Aggregate[] = ['count', 'error_rate'];

export const COMPARED_BY = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const;
export type ComparedBy = (typeof COMPARED_BY)[number];

export const DIRECTIONS = ['up', 'down', 'both'] as const;
type Direction = (typeof DIRECTIONS)[number];

export const CONDITION_KINDS = ['match', 'threshold', 'rate_of_change', 'absence', 'anomaly'] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

/** Seconds that windows may last. */
export const WINDOW_SECONDS = { min: 60, max: 86_400 } as const;
/** How many seconds before its window the one may lie that it is compared with: up to the same time a week ago. */
export const COMPARE_SECONDS = { min: 60, max: 604_800 } as const;
/** By how much a number may have to change. */
export const PERCENT = { gt: 0, max: 1_000_000 } as const;

export interface Measured {
  readonly window_seconds: number;
  readonly aggregate: Aggregate;
  /** A numeric field; absent where the aggregate counts events. */
  readonly aggregate_field?: string;
}

/** What a rule watches for, as clients write it (DECISIONS 9). The filter's members stand beside the others. */
export type MatchCondition = FilterGroup & { readonly kind: 'match' };
export type ThresholdCondition = FilterGroup &
  Measured & { readonly kind: 'threshold'; readonly op: ComparedBy; readonly value: number };
export type RateOfChangeCondition = FilterGroup &
  Measured & {
    readonly kind: 'rate_of_change';
    /** How long ago the window lay that the present one is compared with. */
    readonly compare_seconds: number;
    readonly direction: Direction;
    readonly percent: number;
  };
export type AbsenceCondition = FilterGroup & { readonly kind: 'absence'; readonly window_seconds: number };
/** Fires by findings of Sentinel; the filter is over {@link FINDING_FIELDS}. */
export type AnomalyCondition = FilterGroup & {
  readonly kind: 'anomaly';
  /** Left out: every kind. */
  readonly finding_kinds?: readonly FindingKind[];
  /** Left out: warning. */
  readonly min_severity?: FindingSeverity;
};

export type WindowedCondition = ThresholdCondition | RateOfChangeCondition | AbsenceCondition;
export type Condition = MatchCondition | WindowedCondition | AnomalyCondition;

export function filterOf({ all, any, not }: FilterGroup): FilterGroup {
  return { ...(all && { all }), ...(any && { any }), ...(not && { not }) };
}
