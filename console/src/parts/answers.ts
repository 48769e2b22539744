import { keepPreviousData, type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { createContext, use, useEffect } from 'react';

/** How the answers in a part of a page are read. */
interface Reading {
  /** Whether the part is in view. Otherwise nothing is read. */
  readonly isInView: boolean;
  /** The milliseconds for which an answer is not read again. */
  readonly restMs: number;
  /** Told whether the answer that is shown is that of an earlier question. */
  readonly onOld: (isOld: boolean) => void;
}

/** Set around a part of a page that is read in its own way, such as a panel. */
export const ReadingContext = createContext<Reading | undefined>(undefined);

/** Reads the answer to a question. The answer to the question before is kept until it is there. */
export function useAnswer<Answer, Key extends QueryKey>(question: UseQueryOptions<Answer, Error, Answer, Key>) {
  const reading = use(ReadingContext);
  const answer = useQuery({
    ...question,
    placeholderData: keepPreviousData,
    ...(reading !== undefined && {
      enabled: reading.isInView && (question.enabled ?? true),
      staleTime: reading.restMs,
      meta: {},
      refetchOnWindowFocus: false,
    }),
  });
  const { isPlaceholderData: isOld } = answer;
  const onOld = reading?.onOld;
  useEffect(() => {
    onOld?.(isOld);
    return () => onOld?.(false);
  }, [onOld, isOld]);
  return answer;
}
