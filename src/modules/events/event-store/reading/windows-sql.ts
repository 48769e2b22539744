import type { BindValue } from '../../../../platform/clickhouse/index.js';
import { writtenNumbers } from './written-values.js';
import { instantSql } from '../../fields/index.js';

interface Window {
  readonly from: Date;
  readonly to: Date;
}

/**
 * Up to this many ranges are written as conditions. With more, one condition covers the whole range and a list selects
 * within it.
 */
const MOST_RANGES = 50;

/**
 * Returns all starts and ends of some windows, ascending. Between two neighbours, all events are in the same windows.
 */
export function edgesOf(windows: readonly Window[]): number[] {
  const edges = new Set(windows.flatMap(({ from, to }) => [from.getTime(), to.getTime()]));
  return [...edges].sort((a, b) => a - b);
}

/** Returns SQL for the last of some ascending instants that is not after an event `e`, in milliseconds. */
export function instantBeforeSql(instants: readonly number[]): string {
  return `roundDown(toUnixTimestamp64Milli(e.timestamp), ${writtenNumbers(instants)})`;
}

/** Returns a condition that is true for an event `e` in one of the windows. There must be at least one window. */
export function inWindowsSql(windows: readonly Window[], bind: BindValue): string {
  const within = ({ from, to }: Window): string =>
    `(e.timestamp >= ${instantSql(from, bind)} AND e.timestamp < ${instantSql(to, bind)})`;
  if (windows.length <= MOST_RANGES) return `(${windows.map(within).join(' OR ')})`;
  const edges = edgesOf(windows);
  const whole = { from: new Date(edges[0] ?? 0), to: new Date(edges.at(-1) ?? 0) };
  const starts = new Set<number>();
  // Windows may overlap, so each range between two edges is checked against all windows.
  const ascending = [...windows].sort((a, b) => a.from.getTime() - b.from.getTime());
  let next = 0;
  let until = -Infinity;
  for (const edge of edges) {
    for (
      let window = ascending[next];
      window !== undefined && window.from.getTime() <= edge;
      window = ascending[next]
    ) {
      until = Math.max(until, window.to.getTime());
      next += 1;
    }
    if (edge < until) starts.add(edge);
  }
  return `(${within(whole)} AND has(${writtenNumbers([...starts])}, ${instantBeforeSql(edges)}))`;
}
