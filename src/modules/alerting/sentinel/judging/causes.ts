import { type FindingKind, SERIES_TYPES, type SeriesType } from './finding-kinds.js';
import type { Judgement } from './judge-series.js';

/** Kinds that have causes in common. */
const GROUPED: ReadonlySet<FindingKind> = new Set(['rate_spike', 'rate_drop', 'silence', 'error_burst']);

/** What is told, and what is told along with it. */
export interface Cause {
  readonly told: Judgement;
  readonly contributors: readonly Judgement[];
}

/**
 * Makes one of causes at once (DECISIONS 18): of what is told in a bucket the widest series stand for the narrower ones,
 * and a silence for the drop of its series.
 * @param told of one bucket; also what goes on, and what feedback alone keeps from being told
 */
export function causesOf(told: readonly Judgement[]): Cause[] {
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

function nameOf({ series: { type, value } }: Judgement): string {
  return JSON.stringify([type, value]);
}
