import { Group, NumberInput, SegmentedControl, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { Find } from '../../parts/find.js';
import { PageHead } from '../../parts/page-head.js';
import { Suggested } from '../../parts/suggested.js';
import { useKeys } from '../../parts/use-keys.js';
import { searchChange } from '../../parts/use-search-change.js';
import { type PerformanceSearch, REQUEST_LISTS } from '../../routes/insight.js';
import { oneOf } from '../../routes/search-members.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { useTimeRange } from '../../shell/time-range.js';
import { conditionOf, type PartProps, subjectOf } from './part-props.js';
import { Kept } from './kept.js';
import { EndpointRows } from './endpoint-rows.js';
import { EventsLink } from '../../parts/events-link.js';
import { FailureRows } from './failure-rows.js';
import { APDEX_MS, Figures } from './figures.js';
import { OneSubject } from './one-subject.js';
import { OverTime } from './over-time.js';
import { SlowestRows } from './slowest-rows.js';

const route = getRouteApi('/signed-in/o/$organization/p/$project/performance');

/** Shows all requests, or the page of one route or endpoint. The address decides. */
export function PerformancePage() {
  const { project } = useCurrentProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { window } = useTimeRange();
  const part: PartProps = {
    projectId: project.id,
    window,
    search,
    set: (change) => void navigate({ search: (before: PerformanceSearch) => ({ ...before, ...change }) }),
  };
  const subject = subjectOf(search);
  return subject === undefined ? (
    <All {...part} find={(q) => searchChange<PerformanceSearch>(navigate)({ q, page: undefined })} />
  ) : (
    <OneSubject {...part} subject={subject} />
  );
}

interface AllProps extends PartProps {
  readonly find: (words: string | undefined) => void;
}

function All({ find, ...part }: AllProps) {
  const { search, set } = part;
  const { list } = search;
  return (
    <Stack gap="md">
      <PageHead
        title="Performance"
        guide="performance#in-the-console"
        about="How fast requests are answered, how many fail, and where."
      >
        <Kept search={search} />
        <EventsLink search={{ where: conditionOf(search) }}>
          {search.events === 'other' ? 'All these events' : 'All requests'}
        </EventsLink>
      </PageHead>
      <Group gap="sm" align="flex-end">
        <SegmentedControl
          aria-label="Events"
          data={[
            { value: 'requests', label: 'Requests' },
            { value: 'other', label: 'Other events' },
          ]}
          value={search.events ?? 'requests'}
          onChange={(value) => set({ events: value === 'other' ? value : undefined, page: undefined })}
        />
        <Suggested
          label="Filter"
          placeholder={'properties.plan == "pro"'}
          style={{ flex: '1 1 220px' }}
          maxLength={1500}
          value={search.where}
          onChange={(where) => set({ where, page: undefined })}
        />
        <NumberInput
          label="Apdex threshold, ms"
          w={190}
          min={1}
          max={99_999}
          allowDecimal={false}
          value={Number(search.apdex ?? APDEX_MS)}
          onBlur={(event) => set({ apdex: apdexOf(event.currentTarget.value) })}
          onKeyDown={(event) => {
            if (event.key === 'Enter') set({ apdex: apdexOf(event.currentTarget.value) });
          }}
        />
      </Group>
      <Figures {...part} />
      <OverTime {...part} />
      <SegmentedControl
        aria-label="List"
        style={{ alignSelf: 'flex-start' }}
        data={[
          { value: 'names', label: 'Routes and endpoints' },
          { value: 'slowest', label: 'Slowest' },
          { value: 'failures', label: 'Failures' },
        ]}
        value={list ?? 'names'}
        onChange={(value) => set({ list: oneOf(REQUEST_LISTS, value) })}
      />
      {list === undefined && <Names {...part} find={find} />}
      {list === 'slowest' && <SlowestRows {...part} limit={100} />}
      {list === 'failures' && <FailureRows {...part} />}
    </Stack>
  );
}

/** The list by route or endpoint, with its search. */
function Names({ find, ...part }: AllProps) {
  const { search, set } = part;
  const input = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => input.current?.focus() }, { title: 'Search', names: { '/': 'Search field' } });
  return (
    <>
      <Group gap="sm" align="flex-end">
        <SegmentedControl
          aria-label="Group by"
          data={[
            { value: 'route', label: 'Route' },
            { value: 'endpoint', label: 'Endpoint' },
          ]}
          value={search.by ?? 'route'}
          onChange={(value) => set({ by: value === 'endpoint' ? value : undefined, page: undefined })}
        />
        <Find placeholder="Part of a path, or a method" value={search.q} typingMs={400} onFind={find} input={input} />
      </Group>
      <EndpointRows {...part} />
    </>
  );
}

function apdexOf(text: string): string | undefined {
  return text === '' || Number(text) === APDEX_MS ? undefined : text;
}
