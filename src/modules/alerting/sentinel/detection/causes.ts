import { type FindingKind, SERIES_TYPES, type SeriesType } from './finding-kinds.js';
import type { Detection } from './detect-in-series.js';

/** Findings of these kinds may have a common cause. */
const GROUPED: ReadonlySet<FindingKind> = new Set(['rate_spike', 'rate_drop', 'silence', 'error_burst']);

/** A detection that is reported, and the narrower detections that are listed as its contributors. */
export interface Cause {
  readonly told: Detection;
  readonly contributors: readonly Detection[];
}

/**
 * Groups the detections of a bucket by cause. Detections of the widest series are reported, and those of narrower
 * series become their contributors. A silence replaces the drop of its series.
 * @param told detections of one bucket that are reported, that continue a finding, or that only feedback suppresses
 */
export function causesOf(told: readonly Detection[]): Cause[] {
  const silent = new Set(told.filter(({ kind }) => kind === 'silence').map(nameOf));
  const heard = told.filter((one) => one.kind !== 'rate_drop' || !silent.has(nameOf(one)));
  const grouped = heard.filter(({ kind }) => GROUPED.has(kind));
  const widest = Math.min(...grouped.map(({ series }) => widthOf(series.type)));
  const contributors = grouped.filter(({ series }) => widthOf(series.type) > widest);
  return heard
    .filter((one) => !contributors.includes(one))
    .map((one) => ({ told: one, contributors: GROUPED.has(one.kind) ? contributors : [] }));
}

function widthOf(type: SeriesType): number {
  return SERIES_TYPES.indexOf(type);
}

function nameOf({ series: { type, value } }: Detection): string {
  return JSON.stringify([type, value]);
}
