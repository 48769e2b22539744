import {
  excerptOf,
  type SearchHit,
  scoreOf,
  type HitScore,
  SEARCH_TYPES,
  type SearchType,
  type SearchWords,
} from '../../tenancy/search-sources/index.js';

/** The weight of events, so that names rank before events. */
const OF_EVENTS = 0.5;

/** A hit, with the score that ranks it. */
export interface RankedHit extends HitScore {
  readonly type: SearchType;
  readonly hit: SearchHit;
}

/** Returns the hits, the best first: by score, then the newest, then by id. */
export function ranked(type: SearchType, hits: readonly SearchHit[], words: SearchWords): RankedHit[] {
  const weight = type === 'event' ? OF_EVENTS : 1;
  return hits
    .flatMap((hit) => {
      const scored = scoreOf(hit.fields, words);
      return scored === null ? [] : [{ ...scored, score: scored.score * weight, type, hit }];
    })
    .sort(inOrder);
}

/** Returns the best hits of all types. At most half of them are events when hits of other types match. */
export function bestOf(found: readonly RankedHit[], limit: number): RankedHit[] {
  const sorted = [...found].sort(inOrder);
  const hasOthers = sorted.some(({ type }) => type !== 'event');
  let events = hasOthers ? Math.floor(limit / 2) : limit;
  return sorted.filter(({ type }) => type !== 'event' || events-- > 0).slice(0, limit);
}

/** Returns title and subtitle as answers show them. */
export function titles({ title, subtitle }: SearchHit): { title: string; subtitle: string | null } {
  return { title, subtitle: subtitle === null ? null : excerptOf(subtitle) };
}

const PLACES = new Map(SEARCH_TYPES.map((type, place) => [type, place]));

function inOrder(a: RankedHit, b: RankedHit): number {
  return (
    b.score - a.score ||
    (PLACES.get(a.type) ?? 0) - (PLACES.get(b.type) ?? 0) ||
    b.hit.timestamp.getTime() - a.hit.timestamp.getTime() ||
    (a.hit.id < b.hit.id ? -1 : 1)
  );
}
