import type { Schemas } from '@operational-events/client';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.js';
import { sentenceOf } from '../parts/failures.js';
import { Icon } from '../parts/icons.js';

interface Props {
  readonly projectId: string;
  readonly params: { readonly organization: string; readonly project: string };
}

/** A letter more within this is the same question. */
const TYPING_MS = 250;

type Type = Schemas['SearchType'];

/** What is found and has a page. */
const NAMES: Partial<Record<Type, string>> = { event: 'Event', event_type: 'Event type', api_key: 'API key' };
const FOUND = Object.keys(NAMES) as Type[];

/** Pages and things of the project, by ⌘K or Ctrl+K. */
export function Search({ projectId, params }: Props) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [asked] = useDebouncedValue(text.trim(), TYPING_MS);
  const found = useQuery({
    queryKey: ['project', projectId, 'search', asked],
    queryFn: ({ signal }) =>
      api.searchProject({ query: { project_id: projectId, q: asked, type: FOUND, limit: 20 } }, { signal }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  });
  const pages: SpotlightActionData[] = [
    { id: 'overview', label: 'Overview', onClick: () => void navigate({ to: '/o/$organization/p/$project', params }) },
    { id: 'logs', label: 'Logs', onClick: () => void navigate({ to: '/o/$organization/p/$project/logs', params }) },
    { id: 'keys', label: 'API keys', onClick: () => void navigate({ to: '/o/$organization/p/$project/keys', params }) },
    { id: 'start', label: 'New project', onClick: () => void navigate({ to: '/start' }) },
  ];
  const things = (asked === '' ? [] : (found.data?.items ?? [])).map(
    ({ type, id, title, subtitle }): SpotlightActionData => ({
      id: `${type} ${id}`,
      label: title,
      description: [NAMES[type], subtitle].filter(Boolean).join(' · '),
      // What the service found counts, whichever field the words stood in.
      keywords: text,
      onClick: () =>
        void (type === 'api_key'
          ? navigate({ to: '/o/$organization/p/$project/keys', params })
          : navigate({ to: '/o/$organization/p/$project/logs', params, search: { q: title, range: '7d' } })),
    }),
  );
  return (
    <Spotlight
      actions={[...pages, ...things]}
      query={text}
      onQueryChange={setText}
      nothingFound={found.error === null ? 'Nothing has these words' : sentenceOf(found.error)}
      searchProps={{
        leftSection: <Icon name="search" />,
        placeholder: 'Search pages, events and keys',
        'aria-label': 'Search',
      }}
      attributes={{ content: { 'aria-label': 'Search' } }}
      scrollable
      maxHeight={420}
    />
  );
}
