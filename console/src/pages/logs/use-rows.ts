import { stream } from '@operational-events/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { api } from '../../api/client.js';
import type { LogFilters, Outcome } from '../../routes/watching.js';
import { type LogRow, LogTail } from './log-tail.js';

interface Rows {
  /** The rows that match the filters, newest first. */
  readonly rows: readonly LogRow[];
  /** Number of rows before filtering. */
  readonly known: number;
  readonly error: unknown;
  readonly isWaiting: boolean;
}

/** The maximum number of rows of one answer. */
const LOOKED_BACK = 500;

/**
 * Returns live rows or rows of the past. Live rows are all in this page, so filters need no request. For the past, the
 * service searches, and it also searches names of events.
 */
export function useRows(project_id: string, filters: LogFilters, isPaused: boolean): Rows {
  const { range, q = '', method } = filters;
  const isLive = range === undefined;
  const live = useTail(project_id, isLive);
  const [frozen, setFrozen] = useState<readonly LogRow[] | null>(null);
  if (isPaused !== (frozen !== null)) setFrozen(isPaused ? live.rows : null);

  const past = useQuery({
    queryKey: ['project', project_id, 'logs', range, q, method],
    queryFn: ({ signal }) =>
      api.listLogs(
        {
          query: {
            project_id,
            range,
            limit: LOOKED_BACK,
            ...(q !== '' && { query: q }),
            ...(method !== undefined && { method }),
          },
        },
        { signal },
      ),
    enabled: !isLive,
    placeholderData: keepPreviousData,
  });

  const known = useDeferredValue(isLive ? (frozen ?? live.rows) : past.data);
  const rows = useMemo(() => {
    const left = (known ?? []).filter((row) => fits(row, isLive ? filters : { ...filters, q: '' }));
    return isLive ? left.reverse() : left;
  }, [known, filters, isLive]);
  return {
    rows,
    known: known?.length ?? 0,
    error: isLive ? live.error : past.error,
    isWaiting: !isLive && past.isPending,
  };
}

function useTail(project_id: string, isOn: boolean): { rows: readonly LogRow[]; error: unknown } {
  const [error, setError] = useState<unknown>(null);
  const tail = useMemo(() => ({ of: project_id, rows: new LogTail() }), [project_id]).rows;
  useEffect(() => {
    if (!isOn) return;
    const stop = new AbortController();
    const seen = new Set(tail.get().map(({ id }) => id));
    const follow = async () => {
      for await (const { log } of stream(api.streamLogs, { query: { project_id } }, { signal: stop.signal })) {
        if (seen.size > 0 && seen.has(log.id)) continue;
        tail.add(log);
      }
    };
    follow().catch((fault: unknown) => {
      if (!stop.signal.aborted) setError(fault);
    });
    return () => {
      stop.abort();
      setError(null);
    };
  }, [project_id, isOn, tail]);
  return { rows: useSyncExternalStore(tail.subscribe, tail.get), error };
}

function outcomeOf({ status }: LogRow): Outcome {
  return status >= 500 ? 'errors' : status >= 400 ? 'refused' : 'ok';
}

function fits(row: LogRow, { q = '', status, method }: LogFilters): boolean {
  if (status !== undefined && outcomeOf(row) !== status) return false;
  if (method !== undefined && row.method !== method) return false;
  const words = q.toLowerCase();
  return words === '' || `${row.method} ${row.endpoint} ${row.status}`.toLowerCase().includes(words);
}
