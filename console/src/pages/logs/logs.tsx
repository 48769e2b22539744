import {
  Badge,
  Button,
  Card,
  Code,
  Drawer,
  Group,
  ScrollArea,
  Select,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { LinkButton } from '../../parts/links.js';
import { Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { Moment } from '../../parts/moment.js';
import type { LogFilters } from '../../router.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { Histogram } from './histogram.js';
import type { LogRow } from './log-tail.js';
import { RowList, StatusBadge } from './row-list.js';
import { useRows } from './use-rows.js';

const route = getRouteApi('/signed-in/o/$organization/p/$project/logs');
const WHOLE = new Intl.NumberFormat();
/** The service answers a few searches of the past a minute: it is asked when somebody has done typing. */
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

  const set = (change: Partial<LogFilters>) =>
    void navigate({
      search: (before: LogFilters) =>
        Object.fromEntries(
          Object.entries<unknown>({ ...before, ...change }).filter(([, value]) => value !== undefined && value !== ''),
        ),
      replace: true,
    });

  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size="h2">
          Logs
        </Title>
        <Group gap="sm">
          <Text size="sm" c="dimmed" role="status" className="numbers">
            {rows.length === known ? WHOLE.format(known) : `${WHOLE.format(rows.length)} of ${WHOLE.format(known)}`}{' '}
            rows
          </Text>
          {isLive && (
            <Button size="xs" variant={isPaused ? 'filled' : 'default'} onClick={() => setIsPaused(!isPaused)}>
              {isPaused ? 'Go on' : 'Pause'}
            </Button>
          )}
          {isLive && (
            <Badge color={isPaused ? 'gray' : 'sea'} variant="light">
              {isPaused ? 'Paused' : 'Live'}
            </Badge>
          )}
        </Group>
      </Group>
      <Filters key={project.id} filters={filters} isLive={isLive} set={set} />
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
        !isWaiting &&
        error === null && <Nothing isFiltered={known > 0 || !isLive} onClear={() => void navigate({ search: {} })} />
      )}
      <Detail row={shown} onClose={() => setShown(null)} />
    </Stack>
  );
}

interface FiltersProps {
  readonly filters: LogFilters;
  readonly isLive: boolean;
  readonly set: (change: Partial<LogFilters>) => void;
}

function Filters({ filters, isLive, set }: FiltersProps) {
  const [text, setText] = useState(filters.q ?? '');
  const input = useRef<HTMLInputElement>(null);
  const ask = useDebouncedCallback((q: string) => set({ q }), isLive ? TYPING_MS.live : TYPING_MS.past);
  useHotkeys([['/', () => input.current?.focus()]]);
  return (
    <Group gap="sm" align="flex-end">
      <TextInput
        ref={input}
        label="Find"
        placeholder="/cart, GET, 500 …"
        leftSection={<Icon name="search" size={16} />}
        style={{ flex: '1 1 220px' }}
        maxLength={200}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          ask(event.currentTarget.value);
        }}
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
  const { organization, project } = useCurrentProject();
  if (isFiltered) {
    return (
      <Card withBorder padding="xl">
        <Stack align="flex-start" gap="sm">
          <Text fw={600}>No row fits</Text>
          <Text c="dimmed">Other words, another time or another outcome may have some.</Text>
          <Button variant="default" onClick={onClear}>
            Clear the filters
          </Button>
        </Stack>
      </Card>
    );
  }
  return (
    <Card withBorder padding="xl">
      <Stack align="flex-start" gap="sm">
        <Text fw={600}>Waiting for events</Text>
        <Text c="dimmed">
          Every event is a row here, a second or two after it came in. Events with a method, an endpoint, a status and a
          latency fill all columns.
        </Text>
        <LinkButton
          to="/o/$organization/p/$project/first-event"
          params={{ organization: organization.slug, project: project.slug }}
        >
          Send an event
        </LinkButton>
      </Stack>
    </Card>
  );
}

function Detail({ row, onClose }: { readonly row: LogRow | null; readonly onClose: () => void }) {
  return (
    <Drawer
      opened={row !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title="Log row"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {row !== null && (
        <Stack>
          <Table variant="vertical" layout="fixed">
            <Table.Tbody>
              <Fact name="When">
                <Moment at={row.timestamp} />
              </Fact>
              <Fact name="Request">
                {row.method} {row.endpoint}
              </Fact>
              <Fact name="Status">
                <StatusBadge status={row.status} />
              </Fact>
              <Fact name="Latency">{row.latency_ms} ms</Fact>
              <Fact name="Key">{row.api_key_prefix === '' ? '–' : `${row.api_key_prefix}…`}</Fact>
              <Fact name="Id">{row.id}</Fact>
            </Table.Tbody>
          </Table>
          <Body name="Request" value={row.request_body} />
          <Body name="Response" value={row.response_body} />
        </Stack>
      )}
    </Drawer>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w={96}>{name}</Table.Th>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>{children}</Table.Td>
    </Table.Tr>
  );
}

function Body({ name, value }: { readonly name: string; readonly value: unknown }) {
  return (
    <div>
      <Title order={3} size="h6" mb={4}>
        {name}
      </Title>
      <ScrollArea.Autosize mah={260} type="auto" viewportProps={{ tabIndex: 0, 'aria-label': name, role: 'region' }}>
        <Code block>{JSON.stringify(value, null, 2)}</Code>
      </ScrollArea.Autosize>
    </div>
  );
}
