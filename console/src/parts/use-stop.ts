import { useCallback, useEffect, useRef } from 'react';

interface Stop {
  /** Starts a task and returns its signal. Aborts the task before. */
  readonly begin: () => AbortSignal;
  readonly stop: () => void;
}

/** Aborts a task of a component when the component unmounts, or on `stop`. */
export function useStop(): Stop {
  const underWay = useRef<AbortController | null>(null);
  const stop = useCallback(() => underWay.current?.abort(), []);
  const begin = useCallback(() => {
    stop();
    underWay.current = new AbortController();
    return underWay.current.signal;
  }, [stop]);
  useEffect(() => stop, [stop]);
  return { begin, stop };
}
