import type { ProjectRequirement, ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import type { SearchField } from './search-score.js';
import type { SavedViewKind, SearchType } from './search-types.js';
import type { SearchWords } from './search-words.js';

/** The words and the time window of a search. */
export interface Search {
  readonly words: SearchWords;
  /** Applies to hits with a time, such as events. Other hits are found regardless of their age. */
  readonly window: { readonly from: Date; readonly to: Date };
}

/**
 * The time limits for a source that reads without the given connection. Statements on the connection have their own
 * limits.
 */
export interface SearchTime {
  readonly milliseconds: number;
  /** Aborts when no client waits for the result. */
  readonly signal: AbortSignal;
}

/** A search hit before it is scored. */
export interface SearchHit {
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  /** Only saved views have one. */
  readonly kind?: SavedViewKind;
  /** The fields that are searched. They must not contain configuration, addresses, payloads or secret values. */
  readonly fields: readonly SearchField[];
  readonly timestamp: Date;
}

/**
 * Finds resources of one type by their names. The module that owns the resources provides the source. The search finds
 * all providers that extend this class, so it does not import these modules.
 */
export abstract class SearchSource {
  abstract readonly type: SearchType;

  /** The access that the routes of these resources require. Callers without this access do not find the resources. */
  abstract readonly needed: ProjectRequirement;

  /**
   * Returns the best matches, at most `limit`, in the order of {@link searchSql}. Throws when it cannot return all of
   * them.
   */
  abstract find(scope: ProjectScope, search: Search, limit: number, db: Db, time: SearchTime): Promise<SearchHit[]>;
}

/** @param texts the searched fields by name, except the id, with the most important one first */
export function searchHit(hit: Omit<SearchHit, 'fields'>, texts: Readonly<Record<string, string | null>>): SearchHit {
  const fields: SearchField[] = Object.entries(texts).map(([name, text]) => ({ name, text }));
  return { ...hit, fields: [...fields, { name: 'id', text: hit.id, isId: true }] };
}
