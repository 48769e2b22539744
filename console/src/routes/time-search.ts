import type { Schemas } from '@operational-events/client';
import type { SearchMiddleware } from '@tanstack/react-router';
import type { Window } from '../api/insight.js';
import { oneOf, textOf } from './search-members.js';

const RANGES = ['15m', '1h', '24h', '7d', '30d', 'all'] as const satisfies readonly Schemas['Range'][];
/** In seconds. Search parameters are text. */
export const REFRESHES = ['10', '30', '60', '300'] as const;

/** The time members of the address, which every page of a project has. */
export interface TimeSearch extends Window {
  /** Undefined: the time zone of the project. */
  readonly zone?: 'utc' | 'local' | undefined;
  /** Undefined: nothing is read again by itself. */
  readonly refresh?: (typeof REFRESHES)[number] | undefined;
}

/** The last moment of the year 9999, in milliseconds since 1970. The service accepts no later year. */
const LAST_MOMENT = 253_402_300_799_999;

/** Returns a time of the years 1970 to 9999. */
function momentOf(value: unknown): string | undefined {
  const at = Date.parse(textOf(value) ?? '');
  return at >= 0 && at <= LAST_MOMENT ? new Date(at).toISOString() : undefined;
}

/** Returns the time members of an address. Each that is not valid is left out, so that its default applies. */
export function timeIn({ range, from, to, zone, refresh }: Record<string, unknown>): TimeSearch {
  const [first, last] = [momentOf(from), momentOf(to)];
  const isWhole = first !== undefined && last !== undefined && Date.parse(first) < Date.parse(last);
  return {
    range: isWhole ? undefined : oneOf(RANGES, range),
    from: isWhole ? first : undefined,
    to: isWhole ? last : undefined,
    zone: oneOf(['utc', 'local'] as const, zone),
    refresh: oneOf(REFRESHES, refresh),
  };
}

const WINDOW = ['range', 'from', 'to'] as const;

/** The library passes more than its type says: also the members that the link itself names, before validation. */
type Next = (search: TimeSearch, collectMeta: true) => { search: TimeSearch; meta: { explicit?: object } };

/**
 * Adds the time members of the current address to the next one. A link that names a member decides about it, also with
 * undefined. The members of the window belong together: a link to a range must not inherit two times.
 */
export const keepTime: SearchMiddleware<TimeSearch> = ({ search, next }) => {
  const { search: wanted, meta } = (next as unknown as Next)(search, true);
  const isNamed = (name: keyof TimeSearch): boolean => meta.explicit !== undefined && name in meta.explicit;
  return {
    ...wanted,
    ...(!WINDOW.some(isNamed) && { range: search.range, from: search.from, to: search.to }),
    ...(!isNamed('zone') && { zone: search.zone }),
    ...(!isNamed('refresh') && { refresh: search.refresh }),
  };
};
