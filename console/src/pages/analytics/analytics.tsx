import { Grid, Group, SegmentedControl, SimpleGrid, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { analyticsOverview, eqlLanguage, given, type Narrowed, needsField, type Window } from '../../api/insight.js';
import { IS_ERROR } from '../../parts/events-link.js';
import { Failure } from '../../parts/failures.js';
import { changeNote, countNote, Figure } from '../../parts/figure.js';
import { milliseconds, numbered, share, whole } from '../../parts/numbers.js';
import { PageHead } from '../../parts/page-head.js';
import { Suggested } from '../../parts/suggested.js';
import { type AnalyticsSearch, analyticsSearch } from '../../routes/insight.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { useTimeRange } from '../../shell/time-range.js';
import { eventsWith } from './behind.js';
import { Breakdown } from './breakdown.js';
import { Funnel } from './funnel.js';
import { CreateRule } from '../alerting/rules/create-rule.js';
import { type PinProps, PinToDashboard } from '../dashboards/pin.js';
import { SavedViews } from '../views/saved-views.js';
import { labelOf, SeriesOverTime } from './series-over-time.js';

const route = getRouteApi('/signed-in/o/$organization/p/$project/analytics');

/** The properties that each of the three views receives. */
export interface QuestionProps {
  readonly projectId: string;
  readonly window: Window;
  readonly narrowed: Narrowed;
  readonly search: AnalyticsSearch;
  readonly set: (change: Partial<AnalyticsSearch>) => void;
  /** Names of fields, those of the service first. */
  readonly fields: readonly string[];
  readonly eventTypes: readonly string[];
  /** Whether the answer is shown without the controls of the question. */
  readonly isBare?: boolean;
}

const QUESTIONS = [
  { value: 'series', label: 'Over time' },
  { value: 'breakdown', label: 'By value' },
  { value: 'funnel', label: 'Funnel' },
];

export function AnalyticsPage() {
  const { project } = useCurrentProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { window } = useTimeRange();
  const { data: language } = useQuery(eqlLanguage(project.id));
  const set = (change: Partial<AnalyticsSearch>) =>
    void navigate({ search: (before: AnalyticsSearch) => ({ ...before, ...change }) });
  const props: QuestionProps = {
    projectId: project.id,
    window,
    narrowed: { event: search.event, where: search.where },
    search,
    set,
    fields: language?.fields.map(({ name, is_property }) => (is_property ? asProperty(name) : name)) ?? [],
    eventTypes: language?.categories ?? [],
  };
  const question = search.ask ?? 'series';
  // Without the time range, which is that of the project.
  const own = analyticsSearch({ ...search });
  return (
    <Stack gap="md">
      <PageHead title="Analytics" guide="analytics" about="Counts over time, the most frequent values, and funnels.">
        <SavedViews
          kind="analysis"
          filters={given(own)}
          onApply={(kept) => void navigate({ search: analyticsSearch(kept) })}
        />
        <PinToDashboard key={JSON.stringify(own)} {...pinOf(own)} />
        <CreateRule question={{ kind: 'analysis', search: own }} />
      </PageHead>
      <Grid align="flex-end" gap="sm">
        <Grid.Col span={{ base: 12, xs: 'auto' }}>
          <Suggested
            label="Event"
            placeholder="Every event"
            data={[...props.eventTypes]}
            limit={50}
            maxLength={200}
            value={search.event}
            onChange={(event) => set({ event })}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 'auto' }}>
          <Suggested
            label="Filter"
            placeholder={'properties.plan == "pro"'}
            maxLength={2000}
            value={search.where}
            onChange={(where) => set({ where })}
          />
        </Grid.Col>
      </Grid>
      <Totals {...props} />
      <Group>
        <SegmentedControl
          aria-label="Question"
          data={QUESTIONS}
          value={question}
          onChange={(value) => set({ ask: value === 'series' ? undefined : (value as AnalyticsSearch['ask']) })}
        />
      </Group>
      {question === 'series' && <SeriesOverTime {...props} />}
      {question === 'breakdown' && <Breakdown {...props} />}
      {question === 'funnel' && <Funnel {...props} />}
    </Stack>
  );
}

/** Returns how the question can be pinned to a dashboard. */
function pinOf(search: AnalyticsSearch): PinProps {
  const { ask, aggregate = 'count', field, split, by, event, steps } = search;
  const analysis = (label: string) => ({ label, question: { kind: 'analysis', search } }) as const;
  const of = event === undefined ? '' : ` of ${event}`;
  switch (ask) {
    case 'breakdown':
      return { choices: [analysis('Table')], title: `Values of ${by ?? 'event'}` };
    case 'funnel': {
      const missing = steps === undefined || by === undefined ? 'Ask for a funnel first' : undefined;
      return { choices: [analysis('Funnel')], title: 'Funnel', missing };
    }
    default: {
      const isFieldMissing = needsField(aggregate) && field === undefined;
      return {
        choices: [analysis('Chart'), { label: 'Single figure', question: { kind: 'figure', search } }],
        title: `${[labelOf(aggregate), needsField(aggregate) ? field : undefined].filter(Boolean).join(' ')}${split === undefined ? of : `${of} by ${split}`}`,
        missing: isFieldMissing ? 'Name the field first' : undefined,
      };
    }
  }
}

/** EQL accepts names without the prefix `properties.`, but the other queries need it. */
function asProperty(name: string): string {
  const plain = name.replaceAll(/`((?:``|[^`])+)`/g, (_, quoted: string) => quoted.replaceAll('``', '`'));
  return plain.startsWith('properties.') ? plain : `properties.${plain}`;
}

function Totals({ projectId, window, narrowed }: QuestionProps) {
  const { data, error } = useQuery({
    ...analyticsOverview(projectId, window, narrowed),
    placeholderData: keepPreviousData,
  });
  const { totals, change, previous } = data ?? {};
  const before = previous?.events;
  const events = eventsWith(narrowed);
  const p95 = totals?.p95_latency_ms ?? null;
  return (
    <>
      <Failure error={error} />
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure
          name="Events"
          value={totals ? whole(totals.events) : '…'}
          note={countNote(totals?.events, change?.events, before)}
          events={events}
        />
        <Figure
          name="Errors"
          value={totals ? whole(totals.errors) : '…'}
          note={totals && `Error rate ${share(totals.error_rate)}`}
          isBad={totals !== undefined && totals.errors > 0}
          events={totals?.errors === 0 ? undefined : eventsWith(narrowed, IS_ERROR)}
        />
        <Figure
          name="Event types"
          value={totals ? whole(totals.event_types) : '…'}
          note={totals && totals.sources > 0 ? `from ${numbered(totals.sources, 'source')}` : undefined}
        />
        <Figure
          name="p95 latency"
          value={totals ? milliseconds(totals.p95_latency_ms) : '…'}
          note={p95 === null ? undefined : changeNote(change?.p95_latency_ms, before)}
          events={p95 === null ? undefined : eventsWith(narrowed, `log.latency_ms >= ${p95}`)}
          eventsTitle="Show the events that took at least as long"
        />
      </SimpleGrid>
    </>
  );
}
