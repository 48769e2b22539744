import type { ProjectRequirement, ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import type { SearchField } from './search-score.js';
import type { SearchType } from './search-types.js';
import type { SearchWords } from './search-words.js';

/** What is looked for. */
export interface Search {
  readonly words: SearchWords;
  /** Of things that happen; those that stand are found whenever they were made. */
  readonly window: { readonly from: Date; readonly to: Date };
}

/** What finding may take; for what looks beyond the database at hand, which is limited by itself. */
export interface SearchTime {
  readonly milliseconds: number;
  /** Ends it: nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** A thing that may fit. */
export interface FoundThing {
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  /** What is looked into. Never configuration, addresses, payloads or values. */
  readonly fields: readonly SearchField[];
  readonly timestamp: Date;
}

/**
 * Finds things of one kind by their names. Provided by the module that owns them, and asked for by the search, which needs no
 * module for it: whatever of the application extends this class is asked.
 */
export abstract class SearchSource {
  abstract readonly type: SearchType;

  /** What the route that shows such things asks for: whoever may not read them there does not find them. */
  abstract readonly needed: ProjectRequirement;

  /** The best that fit, at most `limit`, as {@link searchSql} ranks them; whole, or it fails. */
  abstract find(scope: ProjectScope, search: Search, limit: number, db: Db, time: SearchTime): Promise<FoundThing[]>;
}

/** @param texts what is looked into beside the id, by the names of the fields, the most telling first */
export function foundThing(
  thing: Omit<FoundThing, 'fields'>,
  texts: Readonly<Record<string, string | null>>,
): FoundThing {
  const fields: SearchField[] = Object.entries(texts).map(([name, text]) => ({ name, text }));
  return { ...thing, fields: [...fields, { name: 'id', text: thing.id, isId: true }] };
}
