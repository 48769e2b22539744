import { useMemo } from 'react';
import { TimeChart } from '../../parts/time-chart.js';
import type { LogRow } from './log-tail.js';

const BARS = 60;
const WIDTHS_S = [1, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400, 604_800];

/** How many rows came when, errors apart. */
export function Histogram({ rows }: { readonly rows: readonly LogRow[] }) {
  const { times, series } = useMemo(() => counted(rows), [rows]);
  if (times.length === 0) return null;
  return <TimeChart label={`${rows.length} rows over time, errors apart`} times={times} series={series} isSmall />;
}

/** @param rows the newest first */
function counted(rows: readonly LogRow[]) {
  const newest = secondOf(rows[0]);
  const oldest = secondOf(rows.at(-1));
  const span = Math.max(1, newest - oldest);
  const width = WIDTHS_S.find((each) => span / each <= BARS) ?? Math.ceil(span / BARS);
  const first = Math.floor(oldest / width);
  const bars = rows.length === 0 ? 0 : Math.floor(newest / width) - first + 1;
  const all = new Array<number>(bars).fill(0);
  const errors = new Array<number>(bars).fill(0);
  for (const row of rows) {
    const bar = Math.floor(secondOf(row) / width) - first;
    all[bar] = (all[bar] ?? 0) + 1;
    if (row.status >= 500) errors[bar] = (errors[bar] ?? 0) + 1;
  }
  return {
    times: all.map((_, bar) => (first + bar) * width),
    series: [
      { label: 'Rows', color: 'sea' as const, values: all },
      { label: 'Errors', color: 'red' as const, values: errors },
    ],
  };
}

function secondOf(row: LogRow | undefined): number {
  return row === undefined ? 0 : Date.parse(row.timestamp) / 1000;
}
