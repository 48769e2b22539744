import { stream } from '@operational-events/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { alertEvent, alertEventsKey } from '../../../api/alerting.js';
import { api } from '../../../api/client.js';

/** Changes within this time cause a single refetch, and the next refetch starts only after it has ended. */
const SETTLED_MS = 1_500;

/** Keeps the shown alerts up to date from the service's stream. @returns why that fails, or null */
export function useLiveAlerts(project_id: string): unknown {
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const stop = new AbortController();
    let changes = 0;
    let settled: ReturnType<typeof setTimeout> | undefined;
    const change = () => {
      changes += 1;
      settled ??= setTimeout(() => void readAnew(), SETTLED_MS);
    };
    const readAnew = async () => {
      const known = changes;
      const parts = ['list', 'summary', 'timeline'].map((name) => [...alertEventsKey(project_id), name]);
      await Promise.all(parts.map((queryKey) => queries.invalidateQueries({ queryKey })));
      settled = undefined;
      if (changes > known && !stop.signal.aborted) change();
    };
    const follow = async () => {
      for await (const { alert_event } of stream(
        api.streamAlertEvents,
        { query: { project_id } },
        { signal: stop.signal },
      )) {
        // Updates only an alert that has been opened.
        queries.setQueryData(alertEvent(project_id, alert_event.id).queryKey, (known) => known && alert_event);
        change();
      }
    };
    follow().catch((fault: unknown) => {
      if (!stop.signal.aborted) setError(fault);
    });
    return () => {
      stop.abort();
      clearTimeout(settled);
      setError(null);
    };
  }, [project_id, queries]);
  return error;
}
