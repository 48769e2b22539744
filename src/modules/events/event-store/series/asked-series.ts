import type { Aggregate } from './aggregates.js';

export interface AskedSeries {
  readonly aggregate: Aggregate;
  readonly field: string | undefined;
  readonly splitBy: string | undefined;
  readonly top: number;
  readonly hasPrevious: boolean;
}

/** A total where it has no bucket, else a point. Numbers are text: they may be more than doubles hold. */
export interface SeriesRow {
  readonly part: 'series' | 'other' | 'previous';
  /** Of a series, from 1. */
  readonly place: number | null;
  readonly key: string | null;
  readonly bucket: number | null;
  readonly value: string | null;
}
