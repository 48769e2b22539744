import type { Schemas } from '@operational-events/client';
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMatches, useNavigate, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.js';
import { MANAGERS, MEMBERS, OPERATORS, useRefusal } from '../api/roles.js';
import { sentenceOf } from '../parts/failures.js';
import { Icon } from '../parts/icons.js';
import { RANGE_NAMES } from '../parts/spans.js';
import { useCurrentProject } from './current-project.js';
import { AREAS, type ProjectPage } from './pages.js';
import { StillSignedIn, useSignOut } from './person.js';
import { usePins, useSavedViews } from './pins.js';
import { useRecent } from './recent.js';
import { nameOfViewPage, useShowView } from './saved-view-page.js';
import { useRail } from './rail.js';
import { useTimeRange } from './time-range.js';

interface Props {
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

/** A search for pages, acts and things of the project, opened with ⌘K or Ctrl+K. */
export function Search({ onKeys }: Props) {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const navigate = useNavigate();
  const router = useRouter();
  const [isOpen, setIsOpen] = useState(false);
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text.trim(), TYPING_MS);
  const found = useQuery({
    queryKey: ['project', project.id, 'search', query],
    queryFn: ({ signal }) => api.searchProject({ query: { project_id: project.id, q: query, limit: 20 } }, { signal }),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  });
  const [recent, addRecent] = useRecent(project.id);
  const views = useSavedViews(project.id, isOpen);
  const showView = useShowView();
  const pins = usePins(project.id);
  const acts = useActs(onKeys);
  const presets = usePresets();

  /** Opens the page that shows a hit. */
  const show = (type: Type, id: string, title: string): Promise<void> | undefined => {
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
        return navigate({ to: `${BASE}/attempts`, params, search: { endpoint: id, range: 'all' } });
      case 'saved_view': {
        const view = views.find((each) => each.id === id);
        return view && showView(view);
      }
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
  const showAsRecent = async (type: Type, id: string, title: string): Promise<void> => {
    await show(type, id, title);
    addRecent({ label: title, description: NAMES[type], href: router.latestLocation.href });
  };

  const here = router.latestLocation.href;
  const places = recent
    .filter(({ href }) => href !== here)
    .map(({ label, description, href }): SpotlightActionData => ({
      id: `recent ${href}`,
      label,
      ...(description !== undefined && { description }),
      leftSection: <Icon name="past" size={16} />,
      onClick: () => void navigate({ href }),
    }));
  const pages: SpotlightActionData[] = [
    ...AREAS.flatMap(({ area, pages: all }) =>
      (all as readonly ProjectPage[]).map(({ to, label }) => ({
        id: to,
        label,
        ...(label !== area && { description: area }),
        onClick: () => void navigate({ to, params }),
      })),
    ),
    { id: 'first-event', label: 'First steps', onClick: () => void navigate({ to: `${BASE}/first-event`, params }) },
    { id: 'account', label: 'Account and security', onClick: () => void navigate({ to: '/account' }) },
  ];
  const saved = views.map((view): SpotlightActionData => ({
    id: `saved_view ${view.id}`,
    label: view.name,
    description: `Saved view · ${nameOfViewPage(view)}`,
    onClick: () => void showAsRecent('saved_view', view.id, view.name),
  }));
  const pinning = views.map(({ id, name }): SpotlightActionData => {
    const isPinned = pins.ids.includes(id);
    return act(`pin ${id}`, `${isPinned ? 'Unpin' : 'Pin'} ${name}`, isPinned ? undefined : pins.refusal, () =>
      pins.toggle(id),
    );
  });
  const things = (query === '' ? [] : (found.data?.items ?? []))
    // The list of saved views is complete.
    .filter(({ type }) => type !== 'saved_view')
    .map(({ type, id, title, subtitle }): SpotlightActionData => ({
      id: `${type} ${id}`,
      label: title,
      description: [NAMES[type], subtitle].filter(Boolean).join(' · '),
      // Every hit of the service is shown, regardless of the field that matched.
      keywords: text,
      onClick: () => void showAsRecent(type, id, title),
    }));
  const groups =
    text.trim() === ''
      ? [group('Recent', places), group('Acts', acts.actions), group('Time range', presets), group('Pages', pages)]
      : [
          group('Pages', pages),
          group('Saved views', saved),
          group('Acts', [...acts.actions, ...pinning]),
          group('Time range', presets),
          group('In the project', things),
        ];
  return (
    <>
      <Spotlight
        actions={groups.filter(({ actions }) => actions.length > 0)}
        query={text}
        onQueryChange={setText}
        onSpotlightOpen={() => setIsOpen(true)}
        onSpotlightClose={() => setIsOpen(false)}
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
      <StillSignedIn leaving={acts.leaving} />
    </>
  );
}

function group(name: string, actions: SpotlightActionData[]): SpotlightActionGroupData {
  return { group: name, actions };
}

/** An act of the search. One that the role may not use says why, as its button on a page does. */
function act(id: string, label: string, refusal: string | undefined, onAct: () => void): SpotlightActionData {
  return {
    id,
    label,
    description: refusal ?? 'Act',
    closeSpotlightOnTrigger: refusal === undefined,
    'aria-disabled': refusal !== undefined,
    onClick: () => {
      if (refusal === undefined) onAct();
    },
  };
}

/** The acts that every page of the project offers. */
function useActs(onKeys: () => void) {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const operating = useRefusal(project.id, OPERATORS);
  const managing = useRefusal(project.id, MANAGERS);
  const membership = useRefusal(project.id, MEMBERS);
  const leaving = useSignOut();
  const { isRail, toggle } = useRail();
  const actions = [
    act(
      'new-rule',
      'New alert rule',
      operating,
      () => void navigate({ to: `${BASE}/alert-rules/$rule`, params: { ...params, rule: 'new' } }),
    ),
    act(
      'new-key',
      'New API key',
      managing,
      () => void navigate({ to: `${BASE}/keys`, params, state: { form: 'key' } }),
    ),
    act(
      'new-endpoint',
      'New endpoint',
      membership,
      () => void navigate({ to: `${BASE}/endpoints`, params, state: { form: 'endpoint' } }),
    ),
    act(
      'invite',
      'Invite a person',
      managing,
      () => void navigate({ to: `${BASE}/organization/invitations`, params, state: { form: 'invitation' } }),
    ),
    act('start', 'New project', undefined, () => void navigate({ to: '/start' })),
    act('keys', 'Keyboard shortcuts', undefined, onKeys),
    act('scheme', `Change to the ${other} theme`, undefined, () => setColorScheme(other)),
    ...(toggle === undefined
      ? []
      : [act('rail', isRail ? 'Show the names of the navigation' : 'Make the navigation a rail', undefined, toggle)]),
    act('sign-out', 'Sign out', undefined, () => leaving.mutate()),
  ];
  return { actions, leaving };
}

/** Ranges for the pages that have one. */
function usePresets(): SpotlightActionData[] {
  const { setWindow } = useTimeRange();
  const isTimed = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.isTimed === true) });
  if (!isTimed) return [];
  return RANGE_NAMES.map(({ value, label }) => ({
    id: `range ${value}`,
    label,
    description: 'Time range',
    onClick: () => setWindow({ range: value }),
  }));
}
