import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { whole } from '../../parts/numbers.js';
import { TimeChart } from '../../parts/time-chart.js';
import type { LogRow } from './log-tail.js';

const BARS = 60;
const DAY_S = 86_400;
const WIDTHS_S = [1, 5, 10, 30, 60, 300, 900, 3_600, 14_400, DAY_S, 7 * DAY_S];
const WIDEST_S = 7 * DAY_S;

/** Shows how many rows and how many errors there were over time. */
export function Histogram({ rows }: { readonly rows: readonly LogRow[] }) {
  const { times, series, left } = useMemo(() => counted(rows, Date.now() / 1000), [rows]);
  return (
    <Stack gap={4}>
      {times.length > 0 && (
        <TimeChart label={`${rows.length - left} rows over time, errors apart`} times={times} series={series} isSmall />
      )}
      {left > 0 && (
        <Text size="xs" c="dimmed">
          {whole(left)} {left === 1 ? 'row is' : 'rows are'} not drawn: by the sender's clock more than {BARS} weeks
          old, or of the time to come.
        </Text>
      )}
    </Stack>
  );
}

/**
 * Counts the rows for each bar. Rows may come in any order, and their times are those of the senders. Rows far from now
 * are left out, since all other rows would otherwise share one bar.
 * @param now Unix time in seconds
 */
function counted(rows: readonly LogRow[], now: number) {
  const [earliest, latest] = [now - BARS * WIDEST_S, now + 2 * DAY_S];
  const seconds = rows.map(({ timestamp }) => Date.parse(timestamp) / 1000);
  const isDrawn = (second: number): boolean => second >= earliest && second <= latest;
  let [oldest, newest] = [Infinity, -Infinity];
  let left = 0;
  for (const second of seconds) {
    if (!isDrawn(second)) {
      left += 1;
      continue;
    }
    oldest = Math.min(oldest, second);
    newest = Math.max(newest, second);
  }
  const width = WIDTHS_S.find((each) => (newest - oldest) / each <= BARS) ?? WIDEST_S;
  const first = Math.floor(oldest / width);
  const bars = left === rows.length ? 0 : Math.floor(newest / width) - first + 1;
  const all = new Array<number>(bars).fill(0);
  const errors = new Array<number>(bars).fill(0);
  rows.forEach(({ status }, at) => {
    const second = seconds[at] ?? NaN;
    if (!isDrawn(second)) return;
    const bar = Math.floor(second / width) - first;
    all[bar] = (all[bar] ?? 0) + 1;
    if (status >= 500) errors[bar] = (errors[bar] ?? 0) + 1;
  });
  return {
    times: all.map((_, bar) => (first + bar) * width),
    series: [
      { label: 'Rows', color: 'sea' as const, values: all },
      { label: 'Errors', color: 'red' as const, values: errors },
    ],
    left,
  };
}
