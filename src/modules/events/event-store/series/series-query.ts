import type { Aggregate } from './aggregates.js';

export interface SeriesQuery {
  readonly aggregate: Aggregate;
  readonly field: string | undefined;
  readonly splitBy: string | undefined;
  readonly top: number;
  readonly hasPrevious: boolean;
}

/** A row without a bucket is a total, otherwise a point. Numbers are text, because a double may not be exact. */
export interface SeriesRow {
  readonly part: 'series' | 'other' | 'previous';
  /** The rank of a series, from 1. */
  readonly place: number | null;
  readonly key: string | null;
  readonly bucket: number | null;
  readonly value: string | null;
}
