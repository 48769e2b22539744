import type { AnchorProps } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import type { LogsSearch } from '../routes/logs-search.js';
import { useCurrentProject } from '../shell/current-project.js';
import { LinkAnchor } from './links.js';

const LOGS = '/o/$organization/p/$project/logs';

/** The filters of the events behind a number, and their time range. Without a range, that of the page applies. */
export type EventsSearch = LogsSearch;

/** The service refuses longer conditions. */
const MAX_CONDITION_CHARACTERS = 2_000;

interface Props extends Pick<AnchorProps, 'size' | 'inherit' | 'c' | 'underline'> {
  /** Undefined: no filter selects the events. */
  readonly search: EventsSearch | undefined;
  /** Shown on hover where the text of the link is only a number. */
  readonly title?: string;
  readonly children: ReactNode;
}

/** Tells whether Logs can show the events of a search. */
export function isShowable(search: EventsSearch | undefined): search is EventsSearch {
  return search !== undefined && (search.where ?? '').length <= MAX_CONDITION_CHARACTERS;
}

/** Links to the events behind a number. A number whose events no filter selects is only a text. */
export function EventsLink({ search, ...rest }: Props) {
  const { organization, project } = useCurrentProject();
  if (!isShowable(search)) return rest.children;
  return (
    <LinkAnchor
      to={LOGS}
      params={{ organization: organization.slug, project: project.slug }}
      search={search}
      size="sm"
      {...rest}
    />
  );
}

/** Returns a function that opens the events behind a number. */
export function useOpenEvents(): (search: EventsSearch) => void {
  const { organization, project } = useCurrentProject();
  const navigate = useNavigate();
  return useCallback(
    (search) => void navigate({ to: LOGS, params: { organization: organization.slug, project: project.slug }, search }),
    [navigate, organization.slug, project.slug],
  );
}

/** Returns the time members of a search. @param from Unix seconds. The end is exclusive */
export function between(from: number, until: number): Pick<EventsSearch, 'range' | 'from' | 'to'> {
  const [first, last] = [from, until].map((at) => new Date(at * 1000).toISOString());
  return { range: undefined, from: first, to: last };
}

/** The service counts events with such a status as errors. */
export const IS_ERROR = 'log.status >= 500';
