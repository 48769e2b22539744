import { useQuery } from '@tanstack/react-query';
import { useContext, useMemo } from 'react';
import { annotations } from '../../api/insight.js';
import { CurrentChartProject } from './chart-project.js';
import type { Bucket, Mark } from './series.js';

const NO_MARKS: readonly Mark[] = [];
const NO_PROJECT = { id: '', annotationEvents: [] };

/** Reads the events of the project that are marked on a time axis. A chart is useful without them. */
export function useMarks(buckets: readonly Bucket[]): readonly Mark[] {
  const { id, annotationEvents } = useContext(CurrentChartProject) ?? NO_PROJECT;
  const { data } = useQuery(annotations(id, annotationEvents, buckets[0]?.start ?? 0, buckets.at(-1)?.end ?? 0));
  return useMemo(
    () =>
      data?.items.map(({ event, message, timestamp }) => ({
        at: Date.parse(timestamp) / 1000,
        name: message === null || message === '' ? event : `${event}: ${message}`,
      })) ?? NO_MARKS,
    [data],
  );
}
