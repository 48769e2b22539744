import { Button, Card, Collapse, Grid, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { EVENT_FILTERS, type EventFilters, explored, facets, filtersOf } from '../../api/insight.js';
import { itemsOf } from '../../api/pages.js';
import { Chip } from '../../parts/chip.js';
import { Failure } from '../../parts/failures.js';
import { whole } from '../../parts/numbers.js';
import { PageHead } from '../../parts/page-head.js';
import { Empty } from '../../parts/rows.js';
import type { ExplorerSearch } from '../../routes/insight.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { useTimeRange } from '../../shell/time-range.js';
import { EventDetail } from '../insight/event-detail.js';
import { EventList } from '../insight/event-list.js';
import { SendAnEvent } from '../insight/send-an-event.js';
import { SavedViews } from '../views/saved-views.js';
import { ExportEvents } from './export-events.js';
import { FacetList } from './facet-list.js';

const route = getRouteApi('/signed-in/o/$organization/p/$project/events');

export function ExplorerPage() {
  const { project } = useCurrentProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isNarrowing, setIsNarrowing] = useState(false);
  const { window } = useTimeRange();
  const filters = filtersOf(search);
  const set = (change: Partial<ExplorerSearch>) =>
    void navigate({ search: (before: ExplorerSearch) => ({ ...before, ...change }) });
  const isFiltered = EVENT_FILTERS.some((name) => filters[name] !== undefined);

  const found = useInfiniteQuery({ ...explored(project.id, window, filters), placeholderData: keepPreviousData });
  const counted = useQuery({ ...facets(project.id, window, filters), placeholderData: keepPreviousData });
  const events = useMemo(() => itemsOf(found.data) ?? [], [found.data]);
  const { fetchNextPage, hasNextPage, isFetching } = found;
  const more = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);

  return (
    <Stack gap="md">
      <PageHead title="Explorer" about="Every event of a time, by what it says of itself.">
        <SavedViews
          page="explorer"
          search={{ ...search, shown: undefined, zone: undefined, refresh: undefined }}
          onApply={(kept) => void navigate({ search: kept })}
        />
        <ExportEvents window={window} filters={filters} total={found.data?.pages[0]?.total} />
      </PageHead>
      <Group gap="sm" align="flex-end">
        <Button
          variant="default"
          hiddenFrom="md"
          aria-expanded={isNarrowing}
          onClick={() => setIsNarrowing(!isNarrowing)}
        >
          {isNarrowing ? 'Hide the filters' : 'Filters'}
        </Button>
        <Chosen filters={filters} onClear={(name) => set({ [name]: undefined })} />
      </Group>
      <Failure error={found.error ?? counted.error} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 3 }} visibleFrom="md">
          <FacetList facets={counted.data?.facets} filters={filters} onChoose={set} />
        </Grid.Col>
        <Grid.Col span={12} hiddenFrom="md" py={0}>
          <Collapse expanded={isNarrowing}>
            <FacetList facets={counted.data?.facets} filters={filters} onChoose={set} />
          </Collapse>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 9 }}>
          {found.data === undefined && found.error === null && <PendingPage />}
          {found.data !== undefined && (
            <Stack gap="xs">
              <Text size="sm" c="dimmed" role="status" className="numbers">
                {whole(found.data.pages[0]?.total ?? 0)} events
              </Text>
              {events.length > 0 ? (
                <Card withBorder padding={0}>
                  <EventList events={events} onShow={({ id }) => set({ shown: id })} onEnd={more} />
                </Card>
              ) : (
                <Nothing isFiltered={isFiltered} onClear={() => void navigate({ search: {} })} />
              )}
            </Stack>
          )}
        </Grid.Col>
      </Grid>
      <EventDetail projectId={project.id} eventId={search.shown} onClose={() => set({ shown: undefined })} />
    </Stack>
  );
}

const NAMES: Record<keyof EventFilters, string> = {
  event: 'Event',
  source_id: 'Source',
  severity: 'Severity',
  status: 'Status',
  environment: 'Environment',
};

interface ChosenProps {
  readonly filters: EventFilters;
  readonly onClear: (name: keyof EventFilters) => void;
}

/** Shows the filters that are set. A click removes one. */
function Chosen({ filters, onClear }: ChosenProps) {
  const chosen = EVENT_FILTERS.filter((name) => filters[name] !== undefined);
  return chosen.map((name) => (
    <Chip key={name} onClear={() => onClear(name)}>
      {NAMES[name]}
      {name === 'source_id' ? '' : `: ${filters[name]}`}
    </Chip>
  ));
}

function Nothing({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  if (isFiltered) {
    return (
      <Empty title="No event fits" about="Another time or fewer filters may show some.">
        <Button variant="default" onClick={onClear}>
          Clear the filters
        </Button>
      </Empty>
    );
  }
  return (
    <Empty
      title="No event in this time"
      about="Choose a longer time, or send an event: it stands here a moment later, with all that it says."
    >
      <SendAnEvent />
    </Empty>
  );
}
