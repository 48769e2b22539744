import { useSessionStorage } from '@mantine/hooks';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { me } from '../api/queries.js';

/** A page or a thing that was opened. */
export interface Place {
  readonly label: string;
  readonly description?: string | undefined;
  /** The address within the console. */
  readonly href: string;
}

const MAX_PLACES = 6;

/** The places that were opened last, newest first. The tab of the browser remembers them for each person and project. */
export function useRecent(projectId: string): readonly [readonly Place[], (place: Place) => void] {
  const { data: person } = useSuspenseQuery(me);
  const [places, set] = useSessionStorage<readonly Place[]>({
    key: `console-recent-${person.id}-${projectId}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const add = useCallback(
    (place: Place) =>
      set((before) => [place, ...before.filter(({ href }) => href !== place.href)].slice(0, MAX_PLACES)),
    [set],
  );
  return [places, add];
}
