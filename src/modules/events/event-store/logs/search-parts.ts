import type { TimeWindow } from '../totals/coverage.js';

export interface SearchPart extends TimeWindow {
  readonly isIndexed: boolean;
}

/**
 * Divides a window into the months that have an index and the ranges between them, newest first.
 * @param indexed newest first, without overlap
 */
export function searchParts(window: TimeWindow, indexed: readonly TimeWindow[]): SearchPart[] {
  const parts: SearchPart[] = [];
  let end = window.to;
  const take = (from: Date, isIndexed: boolean): void => {
    if (from < end) parts.push({ from, to: end, isIndexed });
    end = from < end ? from : end;
  };
  for (const month of indexed) {
    if (month.from >= end || month.to <= window.from) continue;
    take(month.to, false);
    take(month.from > window.from ? month.from : window.from, true);
  }
  take(window.from, false);
  return parts;
}
