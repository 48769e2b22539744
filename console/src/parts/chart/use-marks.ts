import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useContext, useMemo } from 'react';
import { annotations } from '../../api/insight.js';
import { CurrentChartProject } from './chart-project.js';
import type { Bucket, Mark } from './series.js';

const NO_MARKS: readonly Mark[] = [];
const NO_PROJECT = { id: '', annotationEvents: [] };

/** Reads the events of the project that are marked on a time axis. A chart is useful without them. */
export function useMarks(buckets: readonly Bucket[], from = -Infinity, until = Infinity): readonly Mark[] {
  const { id, annotationEvents } = useContext(CurrentChartProject) ?? NO_PROJECT;
  const [start, end] = [buckets[0]?.start ?? 0, buckets.at(-1)?.end ?? 0];
  // Whole buckets are asked for, so that the marks of a range that ends now are not read again with every answer.
  const { data } = useQuery({
    ...annotations(id, annotationEvents, start, end),
    // Marks of the range before stay where they fit, so that the chart does not jump.
    placeholderData: keepPreviousData,
  });
  return useMemo(() => {
    const [first, last] = [Math.max(start, from), Math.min(end, until)];
    const marks = data?.map(({ id: event_id, event, message, timestamp }) => ({
      id: event_id,
      at: Date.parse(timestamp) / 1000,
      name: message === null || message === '' ? event : `${event}: ${message}`,
    }));
    return marks?.filter(({ at }) => at >= first && at < last) ?? NO_MARKS;
  }, [data, start, end, from, until]);
}
