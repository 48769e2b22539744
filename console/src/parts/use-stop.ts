import { useCallback, useEffect, useRef } from 'react';

interface Stop {
  /** Of something that goes on for a while, in place of what was begun before. */
  readonly begin: () => AbortSignal;
  readonly stop: () => void;
}

/** What a part of a page has begun ends with it, or when it is told to. */
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
