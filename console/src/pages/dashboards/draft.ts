import type { Schemas } from '@operational-events/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { me } from '../../api/queries.js';
import { isSignedIn } from '../../api/session.js';
import { isObject } from '../../parts/json.js';
import { type Content, contentOf, filtersOfContent } from './content.js';

type View = Schemas['SavedViewResponse'];

/** The content of a dashboard while it is edited, and the state of the dashboard that it began with. */
export interface Draft {
  readonly base: View;
  readonly content: Content;
}

/**
 * Keeps the changes of a dashboard in this tab when the session ends or the page is loaded again. Returns those that
 * were kept, and a function that drops them.
 *
 * @param changed undefined when nothing is to be saved
 */
export function useDraft(id: string, changed: Draft | undefined) {
  const { data: person } = useSuspenseQuery(me);
  const key = `dashboard:${person.id}:${id}`;
  const [kept, setKept] = useState(() => draftIn(sessionStorage.getItem(key)));
  useEffect(() => {
    if (changed === undefined) return;
    const { base, content } = changed;
    sessionStorage.setItem(key, JSON.stringify({ base, filters: filtersOfContent(content) }));
    return () => {
      // Somebody who is signed in has saved the changes, or left without them.
      if (isSignedIn()) sessionStorage.removeItem(key);
    };
  }, [key, changed]);
  const drop = () => {
    sessionStorage.removeItem(key);
    setKept(undefined);
  };
  return [kept, drop] as const;
}

/** The text is what this page has written. */
function draftIn(text: string | null): Draft | undefined {
  const { base, filters } = (text === null ? {} : JSON.parse(text)) as { base?: View; filters?: unknown };
  return base !== undefined && isObject(filters) ? { base, content: contentOf(filters) } : undefined;
}
