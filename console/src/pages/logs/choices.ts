import { EVENT_FILTERS, filtersOf, type Narrowed } from '../../api/insight.js';
import { acceptedBy, allOf, clausesOf, hasText, isAnyOf, type Scalar } from '../../parts/conditions.js';
import type { LogsSearch } from '../../routes/logs-search.js';
import { only } from './tokens.js';

/** Returns the filters of a search, as the service takes them. */
export function narrowedOf(search: LogsSearch): Narrowed {
  const text = search.q === undefined ? [] : [hasText(search.q)];
  return { ...filtersOf(search), where: allOf([...clausesOf(search.where), ...text]) };
}

/** Returns the exact filter of a field, which some fields have. */
function exactOf(field: string) {
  return EVENT_FILTERS.find((name) => name === field);
}

interface Choice {
  /** The values that all filters of the field accept. */
  readonly values: readonly Scalar[];
  /** Whether a clause of the condition chooses values of the field. */
  readonly isInWhere: boolean;
  /** The search without this choice. */
  readonly rest: LogsSearch;
}

/** Returns the choice of values of a field. */
export function choiceOf(search: LogsSearch, field: string): Choice {
  const exact = exactOf(field);
  const value = exact === undefined ? undefined : search[exact];
  const clauses = clausesOf(search.where).map((clause) => ({ clause, values: acceptedBy(clause, field) }));
  const accepted = clauses.flatMap(({ values }) => (values === undefined ? [] : [values]));
  const [first = [], ...others] = value === undefined ? accepted : [[value], ...accepted];
  return {
    values: first.filter((each) => others.every((other) => other.includes(each))),
    isInWhere: accepted.length > 0,
    rest: {
      ...search,
      ...(exact !== undefined && { [exact]: undefined }),
      where: allOf(clauses.flatMap(({ clause, values }) => (values === undefined ? [clause] : []))),
    },
  };
}

/** Returns the change of a search after which exactly these values of a field are chosen. */
export function chosenValues(search: LogsSearch, field: string, values: readonly Scalar[]): Partial<LogsSearch> {
  const { rest } = choiceOf(search, field);
  const exact = exactOf(field);
  const [first] = values;
  const { filters, clause = values.length > 1 ? isAnyOf(field, values) : undefined } =
    values.length === 1 && first !== undefined ? only(field, first) : {};
  return {
    ...(exact !== undefined && { [exact]: undefined }),
    ...filters,
    where: allOf([...clausesOf(rest.where), ...(clause === undefined ? [] : [clause])]),
  };
}
