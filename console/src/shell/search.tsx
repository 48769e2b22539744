import type { Schemas } from '@operational-events/client';
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.js';
import { allSavedViews } from '../api/insight.js';
import { sentenceOf } from '../parts/failures.js';
import { Icon } from '../parts/icons.js';
import { searchOfView } from '../routes/logs-search.js';
import { AREAS, type ProjectPage } from './pages.js';

interface Props {
  readonly projectId: string;
  readonly params: { readonly organization: string; readonly project: string };
  /** Shows the list of shortcuts. */
  readonly onKeys: () => void;
}

/** A search runs after this time without a keystroke. */
const TYPING_MS = 250;

type Type = Schemas['SearchType'];

/** Labels of the search types. */
const NAMES: Record<Type, string> = {
  event: 'Event',
  event_type: 'Event type',
  event_source: 'Source',
  api_key: 'API key',
  alert_rule: 'Alert rule',
  alert_event: 'Alert',
  alert_destination: 'Endpoint',
  delivery_channel: 'Endpoint',
  saved_view: 'Saved view',
  object: 'File',
  secret: 'Secret',
  finding: 'Finding',
};

const BASE = '/o/$organization/p/$project';

/** Returns the page of a saved view. */
function pageOfView(kind: Schemas['SavedViewKind'] | undefined) {
  switch (kind) {
    case 'analysis':
      return `${BASE}/analytics` as const;
    case 'query':
      return `${BASE}/eql` as const;
    case 'performance':
      return `${BASE}/performance` as const;
    default:
      return `${BASE}/logs` as const;
  }
}

/** A search for pages and things of the project, opened with ⌘K or Ctrl+K. */
export function Search({ projectId, params, onKeys }: Props) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const [text, setText] = useState('');
  const [asked] = useDebouncedValue(text.trim(), TYPING_MS);
  const found = useQuery({
    queryKey: ['project', projectId, 'search', asked],
    queryFn: ({ signal }) => api.searchProject({ query: { project_id: projectId, q: asked, limit: 20 } }, { signal }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  });
  /** Opens the page on which a view was saved, with its filters. */
  const showView = async (id: string): Promise<void> => {
    const views = await queries.query({ ...allSavedViews(projectId), staleTime: 0 });
    const view = views.find((each) => each.id === id);
    if (view === undefined) return;
    if (view.kind === 'dashboard')
      return navigate({ to: `${BASE}/dashboards/$dashboard`, params: { ...params, dashboard: id } });
    const search = (view.kind ?? 'view') === 'view' ? searchOfView(view.filters) : view.filters;
    await navigate({ to: pageOfView(view.kind), params, search: search as never });
  };
  /** Opens the page that shows a hit. */
  const show = (type: Type, id: string, title: string): Promise<void> => {
    switch (type) {
      case 'event':
        return navigate({ to: `${BASE}/logs`, params, search: { range: '7d', shown: id } });
      case 'event_type':
        return navigate({ to: `${BASE}/logs`, params, search: { range: '7d', event: title } });
      case 'event_source':
        return navigate({ to: `${BASE}/sources/$source`, params: { ...params, source: id } });
      case 'api_key':
        return navigate({ to: `${BASE}/keys`, params });
      case 'alert_rule':
        return navigate({ to: `${BASE}/alert-rules/$rule`, params: { ...params, rule: id } });
      case 'alert_event':
        return navigate({ to: `${BASE}/alerts`, params, search: { alert: id } });
      case 'alert_destination':
      case 'delivery_channel':
        return navigate({ to: `${BASE}/endpoints`, params });
      case 'saved_view':
        return showView(id);
      case 'object':
        return navigate({
          to: `${BASE}/files`,
          params,
          search: { prefix: title.slice(0, title.lastIndexOf('/') + 1) || undefined },
        });
      case 'secret':
        return navigate({ to: `${BASE}/secrets`, params });
      case 'finding':
        return navigate({ to: `${BASE}/sentinel`, params, search: { finding: id } });
    }
  };
  const pages: SpotlightActionData[] = [
    ...AREAS.flatMap(({ area, pages }) =>
      (pages as readonly ProjectPage[]).map(({ to, label }) => ({
        id: to,
        label,
        ...(label !== area && { description: area }),
        onClick: () => void navigate({ to, params }),
      })),
    ),
    { id: 'first-event', label: 'First steps', onClick: () => void navigate({ to: `${BASE}/first-event`, params }) },
    {
      id: 'new-rule',
      label: 'New alert rule',
      description: 'Act',
      onClick: () => void navigate({ to: `${BASE}/alert-rules/$rule`, params: { ...params, rule: 'new' } }),
    },
    { id: 'start', label: 'New project', description: 'Act', onClick: () => void navigate({ to: '/start' }) },
    { id: 'keys', label: 'Keyboard shortcuts', description: 'Act', onClick: onKeys },
    {
      id: 'scheme',
      label: `Show it ${scheme === 'dark' ? 'light' : 'dark'}`,
      description: 'Act',
      onClick: () => setColorScheme(scheme === 'dark' ? 'light' : 'dark'),
    },
  ];
  const things = (asked === '' ? [] : (found.data?.items ?? [])).map(
    ({ type, id, title, subtitle }): SpotlightActionData => ({
      id: `${type} ${id}`,
      label: title,
      description: [NAMES[type], subtitle].filter(Boolean).join(' · '),
      // Every hit of the service is shown, regardless of the field that matched.
      keywords: text,
      onClick: () => void show(type, id, title),
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
        placeholder: 'Search pages and everything in the project',
        'aria-label': 'Search',
      }}
      attributes={{ content: { 'aria-label': 'Search' } }}
      // The shortcut also works in fields, because the search's own field may still have the focus while it closes.
      tagsToIgnore={[]}
      triggerOnContentEditable
      scrollable
      maxHeight={420}
    />
  );
}
