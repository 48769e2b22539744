import type { EventFilters } from '../api/insight.js';
import { allOf, clausesOf, isValue } from '../parts/conditions.js';
import { oneOf, textOf } from './search-members.js';
import { timeIn, type TimeSearch } from './time-search.js';

/** The address says everything that the page of logs shows. */
export interface LogsSearch extends TimeSearch, EventFilters {
  /** A text that is part of the events. */
  readonly q?: string | undefined;
  /** A condition in EQL. */
  readonly where?: string | undefined;
  /** A member of earlier addresses. It becomes part of the condition. */
  readonly method?: undefined;
  /** Whether new events appear by themselves. */
  readonly live?: 'on' | undefined;
  /** Properties whose values are counted, as a JSON list. */
  readonly facets?: string | undefined;
  /** Columns, as a JSON list. */
  readonly columns?: string | undefined;
  readonly wrap?: 'on' | undefined;
  readonly density?: 'compact' | undefined;
  /** The id of the event whose details are open. */
  readonly shown?: string | undefined;
}

type RawSearch = Record<string, unknown>;

/** Words of earlier addresses for classes of the HTTP status. */
const OUTCOMES: ReadonlyMap<unknown, string> = new Map([
  ['errors', 'log.status >= 500'],
  ['refused', 'log.status_class == "4xx"'],
  ['ok', 'log.status < 400'],
]);

/** Returns the filter of a sender's status. Three words have another meaning in addresses, so they are conditions. */
export function statusFilter(status: string): { readonly status?: string; readonly clause?: string } {
  return OUTCOMES.has(status) ? { clause: isValue('status', status) } : { status };
}

/** Returns the valid members of an address of the logs. Members of earlier addresses become conditions. */
export function logsSearch(asked: RawSearch): LogsSearch {
  const outcome = OUTCOMES.get(asked.status);
  const method = textOf(asked.method)?.toUpperCase();
  const clauses = [
    ...clausesOf(textOf(asked.where)),
    ...(outcome === undefined ? [] : [outcome]),
    ...(method === undefined || method === 'ALL' ? [] : [isValue('log.method', method)]),
  ];
  return {
    event: textOf(asked.event),
    source_id: textOf(asked.source_id),
    severity: textOf(asked.severity),
    status: outcome === undefined ? textOf(asked.status) : undefined,
    environment: textOf(asked.environment),
    method: undefined,
    q: textOf(asked.q),
    where: allOf(clauses),
    live: oneOf(['on'] as const, asked.live),
    facets: textOf(asked.facets),
    columns: textOf(asked.columns),
    wrap: oneOf(['on'] as const, asked.wrap),
    density: oneOf(['compact'] as const, asked.density),
    shown: textOf(asked.shown),
  };
}

/** Returns an address of the Explorer, or a view that was saved there, as one of the logs. */
export function fromExplorer(asked: RawSearch): RawSearch {
  const status = textOf(asked.status);
  if (status === undefined) return asked;
  const { status: kept, clause } = statusFilter(status);
  return { ...asked, status: kept, where: allOf([...clausesOf(textOf(asked.where)), ...(clause ? [clause] : [])]) };
}

/** Returns the filters of a saved view as an address of the logs. Views of the Explorer have `explorer` as their page. */
export function searchOfView({ page = 'explorer', ...kept }: RawSearch): LogsSearch {
  const { range, from, to } = timeIn(kept);
  return { range, from, to, ...logsSearch(page === 'explorer' ? fromExplorer(kept) : kept) };
}

/** Returns the texts of a JSON list in an address, at most `limit`. Undefined: the address has no valid list. */
export function listIn(json: string | undefined, limit: number): readonly string[] | undefined {
  if (json === undefined) return undefined;
  let list: unknown;
  try {
    list = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!Array.isArray(list)) return undefined;
  return [...new Set(list.filter((each): each is string => typeof each === 'string'))].slice(0, limit);
}
