import { Badge, Button, Card, Group, Select, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Failure } from '../../parts/failures.js';
import { Find } from '../../parts/find.js';
import { whole } from '../../parts/numbers.js';
import { PageHead } from '../../parts/page-head.js';
import { Empty } from '../../parts/rows.js';
import type { LogFilters } from '../../routes/watching.js';
import { SavedViews } from '../views/saved-views.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { SendAnEvent } from '../insight/send-an-event.js';
import { ExportRows } from './export-rows.js';
import { Histogram } from './histogram.js';
import { LogRowDetail } from './log-row-detail.js';
import type { LogRow } from './log-tail.js';
import { RowList } from './row-list.js';
import { useRows } from './use-rows.js';

const route = getRouteApi('/signed-in/o/$organization/p/$project/logs');
/** The service answers a few searches of the past per minute, so a search is sent when typing has stopped. */
const TYPING_MS = { live: 60, past: 600 };
const TIMES = [
  { value: 'live', label: 'Live' },
  { value: '15m', label: '15 minutes' },
  { value: '1h', label: '1 hour' },
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: 'all', label: 'All time' },
];

export function LogsPage() {
  const { project } = useCurrentProject();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const [isPaused, setIsPaused] = useState(false);
  const [shown, setShown] = useState<LogRow | null>(null);
  const { rows, known, error, isWaiting } = useRows(project.id, filters, isPaused);
  const isLive = filters.range === undefined;
  // A search text is sent a little after typing. The fields are remounted when filters are applied from elsewhere.
  const [applied, setApplied] = useState(0);
  const apply = (search: Record<string, unknown>) =>
    void navigate({ search }).then(() => setApplied((before) => before + 1));

  const set = (change: Partial<LogFilters>) =>
    void navigate({
      search: (before: LogFilters) =>
        // A range that is not named would be that of the page before, also where the page is to be live.
        ({ ...before, ...change }),
      replace: true,
    });

  return (
    <Stack gap="md">
      <PageHead title="Logs" about="Every event as a request, as it comes in or as it came.">
        <SavedViews page="logs" search={filters} onApply={apply} />
        <ExportRows rows={rows} />
      </PageHead>
      <Filters key={`${project.id} ${applied}`} filters={filters} isLive={isLive} set={set} />
      <Group gap="sm">
        <Text size="sm" c="dimmed" role="status" className="numbers">
          {rows.length === known ? whole(known) : `${whole(rows.length)} of ${whole(known)}`} rows
        </Text>
        {isLive && (
          <Badge color={isPaused ? 'gray' : 'sea'} variant="light">
            {isPaused ? 'Paused' : 'Live'}
          </Badge>
        )}
        {isLive && (
          <Button size="compact-sm" variant={isPaused ? 'filled' : 'default'} onClick={() => setIsPaused(!isPaused)}>
            {isPaused ? 'Go on' : 'Pause'}
          </Button>
        )}
      </Group>
      <Failure error={error} />
      {rows.length > 0 && (
        <Card withBorder padding="sm" visibleFrom="sm">
          <Histogram rows={rows} />
        </Card>
      )}
      {rows.length > 0 ? (
        <Card withBorder padding={0}>
          <RowList rows={rows} onShow={setShown} />
        </Card>
      ) : (
        !isWaiting && error === null && <Nothing isFiltered={known > 0 || !isLive} onClear={() => apply({})} />
      )}
      <LogRowDetail row={shown} onClose={() => setShown(null)} />
    </Stack>
  );
}

interface FiltersProps {
  readonly filters: LogFilters;
  readonly isLive: boolean;
  readonly set: (change: Partial<LogFilters>) => void;
}

function Filters({ filters, isLive, set }: FiltersProps) {
  const input = useRef<HTMLInputElement>(null);
  useHotkeys([['/', () => input.current?.focus()]]);
  return (
    <Group gap="sm" align="flex-end">
      <Find
        input={input}
        placeholder="/cart, GET, 500 …"
        value={filters.q}
        typingMs={isLive ? TYPING_MS.live : TYPING_MS.past}
        onFind={(q) => set({ q })}
      />
      <Select
        label="Time"
        w={{ base: 112, sm: 130 }}
        data={TIMES}
        allowDeselect={false}
        value={filters.range ?? 'live'}
        onChange={(value) => set({ range: value === 'live' ? undefined : (value as LogFilters['range']) })}
      />
      <Select
        label="Outcome"
        w={{ base: 130, sm: 145 }}
        data={[
          { value: '', label: 'All' },
          { value: 'errors', label: 'Errors (5xx)' },
          { value: 'refused', label: 'Refused (4xx)' },
          { value: 'ok', label: 'Good' },
        ]}
        allowDeselect={false}
        value={filters.status ?? ''}
        onChange={(value) => set({ status: value === '' ? undefined : (value as LogFilters['status']) })}
      />
      <Select
        label="Method"
        w={{ base: 100, sm: 130 }}
        data={[
          { value: '', label: 'All' },
          ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((value) => ({ value, label: value })),
        ]}
        allowDeselect={false}
        value={filters.method ?? ''}
        onChange={(value) => set({ method: value ?? undefined })}
      />
    </Group>
  );
}

function Nothing({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  if (isFiltered) {
    return (
      <Empty title="No row fits" about="Other words, another time or another outcome may have some.">
        <Button variant="default" onClick={onClear}>
          Clear the filters
        </Button>
      </Empty>
    );
  }
  return (
    <Empty
      title="Waiting for events"
      about="Every event is a row here, a second or two after it came in. Events with a method, an endpoint, a status and a latency fill all columns."
    >
      <SendAnEvent />
    </Empty>
  );
}
