import {
  excerptOf,
  type FoundThing,
  judge,
  type Judged,
  SEARCH_TYPES,
  type SearchType,
  type SearchWords,
} from '../../tenancy/search-sources/index.js';

/** The weight of events, so that names rank before events. */
const OF_EVENTS = 0.5;

/** A matching thing, with the score that ranks it. */
export interface RankedThing extends Judged {
  readonly type: SearchType;
  readonly thing: FoundThing;
}

/** Returns the matching things, the best first: by score, then the newest, then by id. */
export function ranked(type: SearchType, things: readonly FoundThing[], words: SearchWords): RankedThing[] {
  const weight = type === 'event' ? OF_EVENTS : 1;
  return things
    .flatMap((thing) => {
      const judged = judge(thing.fields, words);
      return judged === null ? [] : [{ ...judged, score: judged.score * weight, type, thing }];
    })
    .sort(inOrder);
}

/** Returns the best of all types. At most half of them are events when other things match. */
export function bestOf(found: readonly RankedThing[], limit: number): RankedThing[] {
  const sorted = [...found].sort(inOrder);
  const hasOthers = sorted.some(({ type }) => type !== 'event');
  let events = hasOthers ? Math.floor(limit / 2) : limit;
  return sorted.filter(({ type }) => type !== 'event' || events-- > 0).slice(0, limit);
}

/** Returns title and subtitle as answers show them. */
export function titles({ title, subtitle }: FoundThing): { title: string; subtitle: string | null } {
  return { title, subtitle: subtitle === null ? null : excerptOf(subtitle) };
}

const PLACES = new Map(SEARCH_TYPES.map((type, place) => [type, place]));

function inOrder(a: RankedThing, b: RankedThing): number {
  return (
    b.score - a.score ||
    (PLACES.get(a.type) ?? 0) - (PLACES.get(b.type) ?? 0) ||
    b.thing.timestamp.getTime() - a.thing.timestamp.getTime() ||
    (a.thing.id < b.thing.id ? -1 : 1)
  );
}
