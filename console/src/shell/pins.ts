import { useLocalStorage } from '@mantine/hooks';
import type { Schemas } from '@operational-events/client';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { allSavedViews } from '../api/insight.js';
import { me } from '../api/queries.js';

type View = Schemas['SavedViewResponse'];

const MAX_PINS = 10;
/** Changes by other people become visible within this time. Own changes are read at once. */
const OTHERS_MS = 30_000;

interface Pins {
  readonly ids: readonly string[];
  /** Pins a view, or unpins it. Does nothing when a view more than `MAX_PINS` would be pinned. */
  readonly toggle: (id: string) => void;
  /** Why no further view can be pinned; undefined when one can. */
  readonly refusal: string | undefined;
}

/** The saved views that are pinned below the navigation. The browser remembers them for each person and project. */
export function usePins(projectId: string): Pins {
  const { data: person } = useSuspenseQuery(me);
  const [stored, setStored] = useLocalStorage<readonly string[]>({
    key: `console-pins-${person.id}-${projectId}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const { data: views } = useQuery({ ...allSavedViews(projectId), staleTime: OTHERS_MS, enabled: stored.length > 0 });
  // A view that another person has deleted takes no place.
  const ids = views === undefined ? stored : stored.filter((id) => views.some((view) => view.id === id));
  const isFull = ids.length >= MAX_PINS;
  return {
    ids,
    toggle: (id) => {
      if (ids.includes(id)) setStored(ids.filter((each) => each !== id));
      else if (!isFull) setStored([...ids, id]);
    },
    refusal: isFull ? `At most ${MAX_PINS} views can be pinned` : undefined,
  };
}

/** Returns all saved views of the project. */
export function useSavedViews(projectId: string, isEnabled: boolean): readonly View[] {
  const { data } = useQuery({ ...allSavedViews(projectId), staleTime: OTHERS_MS, enabled: isEnabled });
  return data ?? [];
}
