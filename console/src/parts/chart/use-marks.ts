import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useContext, useMemo } from 'react';
import { annotations } from '../../api/insight.js';
import { ReadingContext } from '../answers.js';
import { CurrentChartProject } from './chart-project.js';
import type { Bucket, Mark } from './series.js';

const NO_MARKS: readonly Mark[] = [];
const NO_PROJECT = { id: '', annotationEvents: [] };

/** A time in Unix seconds. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/**
 * Reads the events of the project that are marked on a time axis. A chart is useful without them.
 * @param query the time whose events are read, where a page reads them already. Undefined: that of the buckets
 */
export function useMarks(
  buckets: readonly Bucket[],
  from = -Infinity,
  until = Infinity,
  query?: Span,
): readonly Mark[] {
  const { id, annotationEvents } = useContext(CurrentChartProject) ?? NO_PROJECT;
  const [start, end] = [buckets[0]?.start ?? 0, buckets.at(-1)?.end ?? 0];
  // Whole buckets are asked for, so that the marks of a range that ends now are not read again with every answer.
  const { isInView, restMs } = useContext(ReadingContext) ?? { isInView: true, restMs: 0 };
  const read = annotations(id, annotationEvents, query?.from ?? start, query?.until ?? end);
  const { data } = useQuery({
    ...read,
    enabled: isInView && read.enabled,
    staleTime: restMs,
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
