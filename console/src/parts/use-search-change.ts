type Change<Search> = (change: Partial<Search>) => void;
type Navigate<Search> = (options: { search: (before: Search) => Search; replace: boolean }) => unknown;

/**
 * Returns a function that changes filters in the address. It replaces the history entry, so that going back leaves the
 * page.
 */
export function searchChange<Search extends object>(navigate: Navigate<Search>): Change<Search> {
  return (change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
}
