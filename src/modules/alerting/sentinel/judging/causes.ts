import { type FindingKind, SERIES_TYPES, type SeriesType } from './finding-kinds.js';
import type { Judgement } from './judge-series.js';

/** Kinds that have causes in common: more than there should be, or less. */
const DIRECTION: Partial<Record<FindingKind, 'more' | 'less'>> = {
  rate_spike: 'more',
  error_burst: 'more',
  rate_drop: 'less',
  silence: 'less',
};

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
  const widest = { more: widestOf(heard, 'more'), less: widestOf(heard, 'less') };
  return heard
    .filter((one) => isWidest(one, widest))
    .map((one) => {
      const direction = DIRECTION[one.kind];
      const contributors = heard.filter((other) => DIRECTION[other.kind] === direction && !isWidest(other, widest));
      return { told: one, contributors: direction === undefined ? [] : contributors };
    });
}

type Widest = Readonly<Record<'more' | 'less', number>>;

function isWidest({ kind, series }: Judgement, widest: Widest): boolean {
  const direction = DIRECTION[kind];
  return direction === undefined || widthOf(series.type) === widest[direction];
}

function widestOf(told: readonly Judgement[], direction: 'more' | 'less'): number {
  const widths = told.filter(({ kind }) => DIRECTION[kind] === direction).map(({ series }) => widthOf(series.type));
  return Math.min(SERIES_TYPES.length, ...widths);
}

function widthOf(type: SeriesType): number {
  return SERIES_TYPES.indexOf(type);
}

function nameOf({ series: { type, value } }: Judgement): string {
  return JSON.stringify([type, value]);
}
