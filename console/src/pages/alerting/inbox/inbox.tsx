import { Badge, Button, Card, Grid, Group, Kbd, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import { alertEvent, alertEvents, alertMetrics, alertRules, alertSummary } from '../../../api/alerting.js';
import { itemsOf } from '../../../api/pages.js';
import { me } from '../../../api/queries.js';
import { MEMBERS, useRefusal } from '../../../api/roles.js';
import { Choice } from '../../../parts/choice.js';
import { Failure } from '../../../parts/failures.js';
import { Find } from '../../../parts/find.js';
import { LinkButton } from '../../../parts/links.js';
import { duration, numbered, whole } from '../../../parts/numbers.js';
import { PageHead } from '../../../parts/page-head.js';
import { Empty } from '../../../parts/rows.js';
import { Side } from '../../../parts/side.js';
import { type KeyNames, useKeys } from '../../../parts/use-keys.js';
import { searchChange } from '../../../parts/use-search-change.js';
import { type AlertFilters, SEVERITIES } from '../../../routes/alerting.js';
import { PendingPage } from '../../../shell/around-pages.js';
import { NoticeSwitch } from '../../../shell/alert-notices.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { AlertDetail } from './alert-detail.js';
import { AlertList } from './alert-list.js';
import { Bulk } from './bulk.js';
import { useAlertActs } from './use-alert-acts.js';
import { useLiveAlerts } from './use-live-alerts.js';

type Filters = AlertFilters;

const route = getRouteApi('/signed-in/o/$organization/p/$project/alerts');
const TYPING_MS = 400;

const LIST_KEYS: KeyNames = { title: 'Alerts', names: { 'j k': 'Next, previous', '/': 'Search field' } };
/** Keys for the alert that is shown. */
const VIEWER_KEYS: KeyNames = { title: 'The alert', names: { x: 'Select', Esc: 'Close' } };
const ACT_KEYS: KeyNames = {
  title: 'The alert',
  names: {
    e: 'Acknowledge',
    r: 'Resolve',
    s: 'Snooze',
    m: 'Silence',
    a: 'Assign',
    c: 'Comment',
    ...VIEWER_KEYS.names,
  },
};

/** The inbox of alerts, with the detail of one. */
export function AlertsPage() {
  const { project } = useCurrentProject();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const set = searchChange<Filters>(navigate);
  const list = useInfiniteQuery(alertEvents(project.id, filters));
  const liveError = useLiveAlerts(project.id);
  const alerts = useMemo(() => itemsOf(list.data) ?? [], [list.data]);
  const total = list.data?.pages.at(-1)?.total ?? 0;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // A search text is sent a little after typing. The field is remounted when the filters are cleared.
  const [cleared, setCleared] = useState(0);
  const clear = () => void navigate({ search: {} }).then(() => setCleared((before) => before + 1));
  const [isByKey, setIsByKey] = useState(false);
  const [isSnoozing, setIsSnoozing] = useState(false);
  const assignee = useRef<HTMLInputElement>(null);
  const comment = useRef<HTMLTextAreaElement>(null);
  const silence = useRef<HTMLAnchorElement>(null);
  const find = useRef<HTMLInputElement>(null);
  /** The position of the shown alert, in case it leaves the list. */
  const place = useRef(-1);
  const acts = useAlertActs(project.id);
  const refusal = useRefusal(project.id, MEMBERS);
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false });
  const shown = filters.alert;
  const at = alerts.findIndex(({ id }) => id === shown);
  if (at >= 0) place.current = at;

  const show = (id: string | undefined, byKey: boolean) => {
    acts.reset();
    setIsByKey(byKey);
    setIsSnoozing(false);
    set({ alert: id });
  };
  const step = (by: 1 | -1) => {
    // When the shown alert has left the list, the next one has taken its position.
    const next = at >= 0 ? at + by : by === 1 ? Math.max(0, place.current) : place.current - 1;
    const alert = alerts[Math.min(alerts.length - 1, Math.max(0, next))];
    if (alert !== undefined) show(alert.id, true);
  };
  const choose = (id: string) =>
    setChosen((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  const { data: detailed } = useQuery({ ...alertEvent(project.id, shown ?? ''), enabled: shown !== undefined });
  const actOn = (kind: 'acknowledge' | 'resolve') => {
    if (detailed === undefined || refusal !== undefined) return;
    const isOver = detailed.status === 'resolved' || (kind === 'acknowledge' && detailed.status === 'acknowledged');
    if (!isOver) acts.mutate({ alert: detailed, act: { kind } });
  };
  const isSnoozable = refusal === undefined && (detailed?.status === 'open' || detailed?.status === 'acknowledged');
  const acting = {
    x: () => shown !== undefined && choose(shown),
    e: () => actOn('acknowledge'),
    r: () => actOn('resolve'),
    s: () => isSnoozable && setIsSnoozing(true),
    a: () => assignee.current?.focus(),
    c: () => comment.current?.focus(),
    m: () => silence.current?.click(),
    Escape: () => show(undefined, false),
  };
  const listing = {
    j: () => step(1),
    k: () => step(-1),
    '/': () => find.current?.focus(),
  };
  useKeys(listing, LIST_KEYS);
  useKeys(
    shown === undefined ? {} : acting,
    shown === undefined ? undefined : refusal === undefined ? ACT_KEYS : VIEWER_KEYS,
  );
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);

  const detail = shown !== undefined && (
    <AlertDetail
      key={shown}
      id={shown}
      acts={acts}
      isSnoozing={isSnoozing}
      onSnoozing={setIsSnoozing}
      assignee={assignee}
      comment={comment}
      silence={silence}
    />
  );
  const isFiltered = Object.entries<unknown>(filters).some(([name, value]) => name !== 'alert' && value !== undefined);
  return (
    <Stack gap="md">
      <PageHead
        title="Alerts"
        guide="alerts#alert-events"
        about="Alerts of the project and who works on them. New alerts appear by themselves."
      >
        <Summary />
        <NoticeSwitch />
      </PageHead>
      <FilterBar key={cleared} filters={filters} set={set} find={find} />
      <Failure error={list.error} />
      <Failure error={liveError} title="New alerts do not appear by themselves now" />
      {chosen.size > 0 && (
        <Bulk
          key={[...chosen].join()}
          ids={[...chosen]}
          alerts={alerts.filter(({ id }) => chosen.has(id))}
          refusal={refusal}
          onDone={() => setChosen(new Set())}
        />
      )}
      {list.data === undefined && list.error === null && <PendingPage />}
      {list.data !== undefined && alerts.length === 0 && <Nothing isFiltered={isFiltered} onClear={clear} />}
      {(alerts.length > 0 || shown !== undefined) && (
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 5 }} className="inbox-side">
            {alerts.length > 0 && (
              <Card withBorder padding={0}>
                <AlertList
                  alerts={alerts}
                  total={total}
                  shown={shown}
                  isByKey={isByKey}
                  chosen={chosen}
                  onShow={(id) => show(id, false)}
                  onChoose={choose}
                  onEnd={onEnd}
                />
              </Card>
            )}
            {!hasNextPage && alerts.length < total && (
              <Text size="xs" c="dimmed" mt="xs">
                The newest {whole(alerts.length)} of {whole(total)}. Use filters to find the others.
              </Text>
            )}
            <Keys />
          </Grid.Col>
          {isWide && (
            <Grid.Col span={7}>
              <Card withBorder component="section" aria-label="The alert">
                {detail || <Text c="dimmed">Choose an alert to see its details.</Text>}
              </Card>
            </Grid.Col>
          )}
        </Grid>
      )}
      {!isWide && (
        <Side title="Alert" isOpen={shown !== undefined} onClose={() => show(undefined, false)}>
          {detail}
        </Side>
      )}
    </Stack>
  );
}

function Summary() {
  const { project } = useCurrentProject();
  const { data } = useQuery(alertSummary(project.id));
  const { data: metrics } = useQuery(alertMetrics(project.id));
  if (data === undefined) return null;
  const { critical, warning } = data.unresolved_by_severity;
  return (
    <Group gap="xs" role="status">
      <Badge variant="light" color="gray" tt="none">
        {data.unresolved} unresolved
      </Badge>
      {critical > 0 && (
        <Badge variant="light" color="red" tt="none">
          {critical} critical
        </Badge>
      )}
      {warning > 0 && (
        <Badge variant="light" color="orange" tt="none">
          {numbered(warning, 'warning')}
        </Badge>
      )}
      {metrics !== undefined && (
        <Text size="xs" c="dimmed">
          Median time over 30 days: to acknowledge (MTTA) {duration(metrics.time_to_acknowledge.median_seconds)}, to
          resolve (MTTR) {duration(metrics.time_to_resolve.median_seconds)}
        </Text>
      )}
    </Group>
  );
}

interface FilterBarProps {
  readonly filters: Filters;
  readonly set: (change: Partial<Filters>) => void;
  readonly find: React.RefObject<HTMLInputElement | null>;
}

function FilterBar({ filters, set, find }: FilterBarProps) {
  const { project } = useCurrentProject();
  const { data: rules } = useQuery(alertRules(project.id));
  const { data: person } = useQuery(me);
  return (
    <Group gap="sm" align="flex-end">
      <Find
        input={find}
        placeholder="Text of the message"
        value={filters.q}
        typingMs={TYPING_MS}
        onFind={(q) => set({ q })}
      />
      <Choice
        label="Status"
        none="Open"
        options={['acknowledged', 'snoozed', 'resolved', 'all'] as const}
        value={filters.status}
        onChange={(status) => set({ status })}
      />
      <Choice
        label="Severity"
        options={SEVERITIES}
        value={filters.severity}
        onChange={(severity) => set({ severity })}
      />
      <Choice
        label="Rule"
        options={(rules ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={filters.rule}
        onChange={(rule) => set({ rule })}
      />
      {person !== undefined && (
        <Choice
          label="Assigned to"
          none="Anyone"
          options={[{ value: person.id, label: 'Me' }]}
          value={filters.assignee}
          onChange={(assignee) => set({ assignee })}
        />
      )}
    </Group>
  );
}

function Keys() {
  return (
    <Text size="xs" c="dimmed" mt="xs" visibleFrom="sm">
      <Kbd size="xs">j</Kbd> <Kbd size="xs">k</Kbd> next, previous · <Kbd size="xs">e</Kbd> acknowledge ·{' '}
      <Kbd size="xs">r</Kbd> resolve · <Kbd size="xs">s</Kbd> snooze · <Kbd size="xs">m</Kbd> silence ·{' '}
      <Kbd size="xs">a</Kbd> assign · <Kbd size="xs">c</Kbd> comment · <Kbd size="xs">x</Kbd> choose ·{' '}
      <Kbd size="xs">/</Kbd> find
    </Text>
  );
}

function Nothing({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  const { organization, project } = useCurrentProject();
  if (isFiltered) {
    return (
      <Empty title="No alert matches" about="Another search, status or rule may show some.">
        <Button variant="default" onClick={onClear}>
          Clear the filters
        </Button>
      </Empty>
    );
  }
  return (
    <Empty
      title="No open alerts"
      about="An alert opens when a rule fires. It counts further occurrences until somebody resolves it or the rule recovers."
    >
      <LinkButton
        to="/o/$organization/p/$project/alert-rules"
        params={{ organization: organization.slug, project: project.slug }}
        variant="default"
      >
        Alert rules
      </LinkButton>
    </Empty>
  );
}
