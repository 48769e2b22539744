import { Button, Card, Collapse, Grid, Group, Stack, Switch, Text, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import {
  analyticsSeries,
  eqlLanguage,
  EVENT_FILTERS,
  given,
  liveLogs,
  logPages,
  type LogEntry,
  type Narrowed,
  type Window,
} from '../../api/insight.js';
import { allOf, clausesOf, pathOf } from '../../parts/conditions.js';
import { Failure } from '../../parts/failures.js';
import { whole } from '../../parts/numbers.js';
import { PageHead } from '../../parts/page-head.js';
import { Empty } from '../../parts/rows.js';
import { listIn, type LogsSearch, logsSearch, searchOfView } from '../../routes/logs-search.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { useTimeRange } from '../../shell/time-range.js';
import { PinToDashboard } from '../dashboards/pin.js';
import { SendAnEvent } from '../insight/send-an-event.js';
import { SavedViews } from '../views/saved-views.js';
import { choiceOf, chosenValues, narrowedOf } from './choices.js';
import { Chosen, NO_FILTERS } from './chosen.js';
import { columnIds, columnOf, MAX_COLUMNS } from './columns.js';
import { EntryList } from './entry-list.js';
import { ExportEvents } from './export-events.js';
import { FacetList, MAX_PATHS } from './facet-list.js';
import { Histogram } from './histogram.js';
import { LogDetail } from './log-detail.js';
import { SearchField } from './search-field.js';
import type { Addition } from './tokens.js';
import { useFacets } from './use-facets.js';
import { type Change, columnsMember, ViewMenu } from './view-menu.js';

const route = getRouteApi('/signed-in/o/$organization/p/$project/logs');
/** Facets and the histogram of a live list are read less often than its rows. */
const COUNTS_INTERVAL_MS = 30_000;
const MAX_PATH_CHARACTERS = 200;
/** The facets are beside the list from this width on, and above it on smaller screens. */
const BESIDE = '(min-width: 62em)';

export function LogsPage() {
  const { project } = useCurrentProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isNarrowing, setIsNarrowing] = useState(false);
  const { window, zone, zoom } = useTimeRange();
  const isBeside = useMediaQuery(BESIDE, undefined, { getInitialValueInEffect: false });
  const set = useCallback(
    (change: Change) =>
      void navigate({
        search: (before: LogsSearch) => ({ ...before, ...(typeof change === 'function' ? change(before) : change) }),
      }),
    [navigate],
  );
  const show = useCallback(({ id }: LogEntry) => set({ shown: id }), [set]);

  const query = useMemo(() => narrowedOf(search), [search]);
  const paths = useMemo(() => pathsIn(search.facets), [search.facets]);
  const columns = useMemo(() => columnIds(search.columns).flatMap((id) => columnOf(id) ?? []), [search.columns]);
  // A live list ends now.
  const canBeLive = window.from === undefined;
  const isLive = search.live === 'on' && canBeLive;

  const { rows, total, error, isPending, isOld, isPageMissing, more } = useEntries(project.id, window, query, isLive);
  const refetchInterval = isLive ? COUNTS_INTERVAL_MS : false;
  const drawn = useQuery({
    ...analyticsSeries(project.id, window, query, { aggregate: 'count', split_by: 'log.status_class', timezone: zone }),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
  const counted = useFacets({ projectId: project.id, window, search, paths, byClass: drawn.data, refetchInterval });
  const { data: language } = useQuery(eqlLanguage(project.id));
  const properties = useMemo(
    () => (language?.fields ?? []).flatMap(({ name, is_property }) => (is_property ? [pathOf(name)] : [])),
    [language],
  );

  const add = ({ field, filters, clause, q }: Addition) =>
    set((before) => {
      const rest = field === undefined ? before : choiceOf(before, field).rest;
      return {
        ...rest,
        ...filters,
        ...(clause !== undefined && { where: allOf([...new Set([...clausesOf(rest.where), clause])]) }),
        ...(q !== undefined && { q }),
        shown: undefined,
      };
    });
  const setPaths = (next: readonly string[]) =>
    set({ facets: next.length === 0 ? undefined : JSON.stringify(next.slice(0, MAX_PATHS)) });
  const at = search.shown === undefined ? -1 : rows.findIndex(({ id }) => id === search.shown);
  const goTo = (place: number) => {
    const row = rows[place];
    if (row === undefined) return undefined;
    return () => {
      if (place >= rows.length - 2) more();
      set({ shown: row.id });
    };
  };
  const isFiltered = query.where !== undefined || EVENT_FILTERS.some((name) => query[name] !== undefined);
  const facetList = (
    <FacetList
      counted={counted}
      search={search}
      paths={paths}
      properties={properties}
      onPaths={setPaths}
      onAdd={add}
      onChoose={(field, values) => set((before) => ({ ...chosenValues(before, field, values), shown: undefined }))}
    />
  );

  return (
    <Stack gap="md">
      <PageHead title="Logs" guide="reading#the-logs-of-the-console" about="All events of the time range.">
        <Tooltip label="Choose a range that ends now" disabled={canBeLive}>
          <Switch
            label="Live"
            checked={isLive}
            disabled={!canBeLive}
            onChange={(event) => set({ live: event.currentTarget.checked ? 'on' : undefined })}
          />
        </Tooltip>
        <SavedViews
          kind="view"
          filters={{ ...given({ ...search, shown: undefined, zone: undefined, refresh: undefined }), page: 'logs' }}
          onApply={(kept) => void navigate({ search: searchOfView(kept) })}
        />
        <PinToDashboard
          key={JSON.stringify(query)}
          choices={[{ label: 'List', question: { kind: 'logs', search: logsSearch({ ...search, live: undefined }) } }]}
          title={search.event ?? 'Newest events'}
        />
        <ViewMenu search={search} properties={properties} set={set} />
        <ExportEvents window={window} filters={query} total={isOld ? undefined : total} />
      </PageHead>
      <Group gap="sm" align="flex-end">
        <SearchField projectId={project.id} window={window} query={query} known={counted.facets} onAdd={add} />
        {!isBeside && (
          <Button variant="default" aria-expanded={isNarrowing} onClick={() => setIsNarrowing(!isNarrowing)}>
            {isNarrowing ? 'Hide the filters' : 'Filters'}
          </Button>
        )}
      </Group>
      <Chosen projectId={project.id} search={search} facets={counted.facets} set={set} />
      <Failure error={error ?? counted.error ?? drawn.error} />
      <Grid gap="md">
        {isBeside ? (
          <Grid.Col span={3}>{facetList}</Grid.Col>
        ) : (
          <Grid.Col span={12} py={0}>
            <Collapse expanded={isNarrowing}>{facetList}</Collapse>
          </Grid.Col>
        )}
        <Grid.Col span={{ base: 12, md: 9 }}>
          {isPending && error === null && <PendingPage />}
          {total !== undefined && (
            <Stack gap="xs" style={{ opacity: isOld ? 0.5 : 1 }} aria-busy={isOld}>
              <Group gap="sm">
                <Text size="sm" c="dimmed" role="status" className="numbers">
                  {whole(total)} {total === 1 ? 'event' : 'events'}
                </Text>
                {rows.length < total && (
                  <Text size="sm" c="dimmed" className="numbers">
                    The newest {whole(rows.length)} are loaded
                    {isLive ? '. Switch Live off to read older ones' : ''}
                  </Text>
                )}
              </Group>
              {drawn.data?.series.some((each) => each.total !== 0) === true && drawn.error === null && (
                <Card withBorder padding="sm">
                  <Histogram answer={drawn.data} search={search} zoom={zoom} />
                </Card>
              )}
              {rows.length > 0 ? (
                <Card withBorder padding={0}>
                  <EntryList
                    rows={rows}
                    columns={columns}
                    isWrapped={search.wrap === 'on'}
                    isCompact={search.density === 'compact'}
                    hasYears={isOfOtherYears(window)}
                    shownId={search.shown}
                    onShow={show}
                    onEnd={more}
                  />
                </Card>
              ) : (
                <Nothing isFiltered={isFiltered} isLive={isLive} onClear={() => set(NO_FILTERS)} />
              )}
              {isPageMissing && (
                <Button variant="default" style={{ alignSelf: 'flex-start' }} onClick={more}>
                  Read the older rows again
                </Button>
              )}
            </Stack>
          )}
        </Grid.Col>
      </Grid>
      <LogDetail
        projectId={project.id}
        eventId={search.shown}
        at={at}
        total={total ?? 0}
        onPrevious={at < 0 ? undefined : goTo(at - 1)}
        onNext={at < 0 ? undefined : goTo(at + 1)}
        onClose={() => set({ shown: undefined })}
        onAdd={add}
        onCount={(path) => {
          setIsNarrowing(true);
          set((before) => ({
            facets: JSON.stringify([...new Set([...pathsIn(before.facets), path])].slice(-MAX_PATHS)),
            shown: undefined,
          }));
        }}
        onColumn={(path) =>
          set((before) => ({
            ...columnsMember([...new Set([...columnIds(before.columns), path])].slice(0, MAX_COLUMNS)),
            shown: undefined,
          }))
        }
      />
    </Stack>
  );
}

/** Returns the events of the list: live, or as many pages as have been read. */
function useEntries(projectId: string, window: Window, query: Narrowed, isLive: boolean) {
  const paged = useInfiniteQuery({
    ...logPages(projectId, window, query),
    placeholderData: keepPreviousData,
    enabled: !isLive,
  });
  const live = useQuery({ ...liveLogs(projectId, window, query), enabled: isLive });
  const { fetchNextPage, hasNextPage, isFetching, isFetchNextPageError } = paged;
  const more = useCallback(() => {
    if (!isLive && hasNextPage && !isFetching) void fetchNextPage();
  }, [isLive, hasNextPage, isFetching, fetchNextPage]);
  const pages = paged.data?.pages;
  const rows = useMemo(
    (): readonly LogEntry[] => (isLive ? (live.data?.rows ?? []) : (pages?.flatMap((page) => page.rows) ?? [])),
    [isLive, live.data, pages],
  );
  return {
    rows,
    // Later pages count only the events from their beginning on.
    total: isLive ? live.data?.total : pages?.[0]?.total,
    error: isLive ? live.error : paged.error,
    isPending: isLive ? live.isPending : paged.isPending,
    /** Whether the rows are those of the search before. */
    isOld: !isLive && paged.isPlaceholderData,
    /** Whether the next page could not be read. */
    isPageMissing: !isLive && isFetchNextPageError,
    more,
  };
}

/** Tells whether rows of the window may be of another year than the present one. */
function isOfOtherYears({ range, from }: Window): boolean {
  return range === 'all' || (from !== undefined && new Date(from).getFullYear() !== new Date().getFullYear());
}

/** Returns the properties whose values are counted. Invalid paths are ignored. */
function pathsIn(json: string | undefined): readonly string[] {
  return (listIn(json, MAX_PATHS) ?? []).filter(
    (path) => path.startsWith('properties.') && path.length <= MAX_PATH_CHARACTERS && !path.split('.').includes(''),
  );
}

interface NothingProps {
  readonly isFiltered: boolean;
  readonly isLive: boolean;
  readonly onClear: () => void;
}

function Nothing({ isFiltered, isLive, onClear }: NothingProps) {
  if (isFiltered) {
    return (
      <Empty title="No event matches" about="A longer time or fewer filters may show some.">
        <Button variant="default" onClick={onClear}>
          Clear the filters
        </Button>
      </Empty>
    );
  }
  return (
    <Empty
      title={isLive ? 'Waiting for events' : 'No event in this time'}
      about="Choose a longer time, or send an event. It appears here a moment later."
    >
      <SendAnEvent />
    </Empty>
  );
}
