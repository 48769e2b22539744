import { Anchor, Progress, Table, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { endpoints } from '../../api/insight.js';
import { Failure } from '../../parts/failures.js';
import { milliseconds, share, whole } from '../../parts/numbers.js';
import { Empty, Rows } from '../../parts/rows.js';
import { PendingPage } from '../../shell/around-pages.js';
import { SendAnEvent } from '../insight/send-an-event.js';
import type { ListProps } from './performance.js';

type Order = Schemas['EndpointOrder'];

const COLUMNS: readonly { readonly name: string; readonly order?: Order }[] = [
  { name: 'Endpoint' },
  { name: 'Requests', order: 'requests' },
  { name: 'Errors', order: 'errors' },
  { name: 'Share of errors', order: 'error_rate' },
  { name: 'Half' },
  { name: '95 %', order: 'p95' },
  { name: '99 %' },
  { name: 'Share of the time', order: 'total_time' },
];

/** Lists endpoints. A click on a column's name sorts by it, largest first. */
export function EndpointRows({ projectId, window, requests, search, set }: ListProps) {
  const sort = search.sort ?? 'requests';
  const { data, error, isPending } = useQuery({
    ...endpoints(projectId, window, requests, sort),
    placeholderData: keepPreviousData,
  });
  if (isPending) return <PendingPage />;
  if (data === undefined || data.items.length === 0) {
    return (
      <>
        <Failure error={error} />
        {error === null && (
          <Empty
            title="No request in this time"
            about="Events with a method, a path, a status and a latency are requests: send some, or choose a longer time."
          >
            <SendAnEvent />
          </Empty>
        )}
      </>
    );
  }
  const columns = COLUMNS.map(({ name, order }) => ({
    name,
    ...(order !== undefined && {
      isSorted: order === sort,
      onSort: () => set({ sort: order === 'requests' ? undefined : order }),
    }),
  }));
  return (
    <>
      <Failure error={error} />
      <Text size="sm" c="dimmed" role="status">
        {data.items.length < data.total ? `${data.items.length} of ${whole(data.total)}` : whole(data.total)} endpoints
      </Text>
      <Rows label="Endpoints" columns={columns} minWidth={860}>
        {data.items.map((item) => (
          <Table.Tr key={`${item.method} ${item.endpoint}`}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              {item.endpoint === null || item.method === null ? (
                <Text size="sm" c="dimmed">
                  The rarest, together
                </Text>
              ) : (
                <Anchor
                  component="button"
                  type="button"
                  ta="start"
                  size="sm"
                  ff="monospace"
                  onClick={() => set({ method: item.method ?? undefined, endpoint: item.endpoint ?? undefined })}
                >
                  {item.method} {item.endpoint}
                </Anchor>
              )}
            </Table.Td>
            <Table.Td className="numbers">{whole(item.requests)}</Table.Td>
            <Table.Td className="numbers">{whole(item.errors)}</Table.Td>
            <Table.Td className="numbers">{share(item.error_rate)}</Table.Td>
            <Table.Td className="numbers">{milliseconds(item.p50_ms)}</Table.Td>
            <Table.Td className="numbers">{milliseconds(item.p95_ms)}</Table.Td>
            <Table.Td className="numbers">{milliseconds(item.p99_ms)}</Table.Td>
            <Table.Td miw={110}>
              <Text size="xs" className="numbers">
                {share(item.total_time_share)}
              </Text>
              <Progress value={item.total_time_share * 100} size="sm" color="sea.5" aria-label="Share of the time" />
            </Table.Td>
          </Table.Tr>
        ))}
      </Rows>
    </>
  );
}
