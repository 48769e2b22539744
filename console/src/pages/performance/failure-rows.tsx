import { Badge, Group, Table, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { failures } from '../../api/insight.js';
import { Failure } from '../../parts/failures.js';
import { Moment } from '../../parts/moment.js';
import { share, whole } from '../../parts/numbers.js';
import { Empty, Rows } from '../../parts/rows.js';
import { StatusBadge } from '../../parts/status-badge.js';
import { PendingPage } from '../../shell/around-pages.js';
import type { ListProps } from './performance.js';

/** Lists refused and failed requests by status and by endpoint. */
export function FailureRows({ projectId, window, requests }: ListProps) {
  const { data, error, isPending } = useQuery({
    ...failures(projectId, window, requests),
    placeholderData: keepPreviousData,
  });
  if (isPending) return <PendingPage />;
  return (
    <>
      <Failure error={error} />
      {data?.failed === 0 && (
        <Empty
          title="Nothing failed in this time"
          about="Requests with a status of 400 or more stand here, by endpoint."
        />
      )}
      {data !== undefined && data.failed > 0 && (
        <>
          <Group gap="xs">
            <Text size="sm" c="dimmed" role="status">
              {whole(data.failed)} of {whole(data.requests)} requests, {share(data.failure_rate)}
            </Text>
            {data.by_status.slice(0, 12).map(({ status, requests: count }) => (
              <Badge key={status} variant="light" color={status >= 500 ? 'red' : 'orange'} tt="none">
                {status} · {whole(count)}
              </Badge>
            ))}
          </Group>
          <Rows label="Failing endpoints" columns={['Endpoint', 'Failed', 'Share', 'Statuses', 'Last']} minWidth={720}>
            {data.by_endpoint.map((item) => (
              <Table.Tr key={`${item.method} ${item.endpoint}`}>
                <Table.Td ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                  {item.endpoint === null ? 'The rarest, together' : `${item.method} ${item.endpoint}`}
                </Table.Td>
                <Table.Td className="numbers">
                  {whole(item.failed)} of {whole(item.requests)}
                </Table.Td>
                <Table.Td className="numbers">{share(item.failure_rate)}</Table.Td>
                <Table.Td>
                  <Group gap={4}>
                    {item.statuses.slice(0, 5).map(({ status }) => (
                      <StatusBadge key={status} status={status} />
                    ))}
                  </Group>
                </Table.Td>
                <Table.Td>
                  <Moment at={item.last_failed_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
        </>
      )}
    </>
  );
}
