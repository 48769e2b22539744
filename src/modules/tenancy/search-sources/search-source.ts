import type { ProjectRequirement, ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import type { SearchField } from './search-score.js';
import type { SavedViewKind, SearchType } from './search-types.js';
import type { SearchWords } from './search-words.js';

/** The words and the time window of a search. */
export interface Search {
  readonly words: SearchWords;
  /** Limits hits that happen at a time, such as events. Other hits are found whenever they were created. */
  readonly window: { readonly from: Date; readonly to: Date };
}

/**
 * Limits of a source that reads outside of the given connection. Statements of that connection have their own limits.
 */
export interface SearchTime {
  readonly milliseconds: number;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** A candidate for a hit. */
export interface SearchHit {
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  /** Only saved views have one. */
  readonly kind?: SavedViewKind;
  /** The fields that are searched. Never configuration, addresses, payloads or values. */
  readonly fields: readonly SearchField[];
  readonly timestamp: Date;
}

/**
 * Finds resources of one type by their names. The module that owns the resources provides the source. The search
 * discovers every provider that extends this class, so it imports none of these modules.
 */
export abstract class SearchSource {
  abstract readonly type: SearchType;

  /** The access that the route of these resources requires. Callers without it do not find them. */
  abstract readonly needed: ProjectRequirement;

  /** Returns the best matches, at most `limit`, ranked as by {@link searchSql}. Returns all of them or throws. */
  abstract find(scope: ProjectScope, search: Search, limit: number, db: Db, time: SearchTime): Promise<SearchHit[]>;
}

/** @param texts the searched fields in addition to the id, by name, the most important first */
export function searchHit(hit: Omit<SearchHit, 'fields'>, texts: Readonly<Record<string, string | null>>): SearchHit {
  const fields: SearchField[] = Object.entries(texts).map(([name, text]) => ({ name, text }));
  return { ...hit, fields: [...fields, { name: 'id', text: hit.id, isId: true }] };
}
