import { Group, Table, Text } from '@mantine/core';
import { failures } from '../../api/insight.js';
import { useAnswer } from '../../parts/answers.js';
import { Failure } from '../../parts/failures.js';
import { Ago } from '../../parts/moment.js';
import { share, whole } from '../../parts/numbers.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { StatusBadge } from '../../parts/status-badge.js';
import { PendingPage } from '../../shell/around-pages.js';
import { conditionOf, conditionOfOne, type PartProps, requestsOf } from './part-props.js';
import { Count } from './count.js';
import { EventsLink } from '../../parts/events-link.js';
import { SubjectLink } from './subject-link.js';

const IS_FAILURE = 'log.status >= 400';

/** Lists failed requests by status and by endpoint. */
export function FailureRows({ projectId, window, search }: PartProps) {
  const { data, error, isPending } = useAnswer(failures(projectId, window, requestsOf(search)));
  if (isPending) return <PendingPage />;
  return (
    <>
      <Failure error={error} />
      {data?.failed === 0 && (
        <Empty title="No failures in this time" about="Requests with a status of 400 or more are listed here." />
      )}
      {data !== undefined && data.failed > 0 && (
        <>
          <Text size="sm" c="dimmed" role="status">
            {whole(data.failed)} of {whole(data.requests)} failed, {share(data.failure_rate)}
          </Text>
          <Rows label="Failed statuses" columns={['Status', 'Requests', 'Share of failures', null]}>
            {data.by_status.map(({ status, requests, share: ofFailed }) => (
              <Table.Tr key={status}>
                <Cell column="Status">
                  <StatusBadge status={status} />
                </Cell>
                <Cell column="Requests" className="numbers">
                  {whole(requests)}
                </Cell>
                <Cell column="Share of failures" className="numbers">
                  {share(ofFailed)}
                </Cell>
                <Table.Td>
                  <EventsLink search={{ where: conditionOf(search, `log.status == ${status}`) }}>
                    Events with {status}
                  </EventsLink>
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
          <Rows
            label="Failing endpoints"
            columns={['Endpoint', 'Failed', 'Failure rate', 'Statuses', 'Last failure']}
            minWidth={720}
          >
            {data.by_endpoint.map((item) => (
              <Table.Tr key={`${item.method} ${item.endpoint}`}>
                <Cell column="Endpoint" style={{ overflowWrap: 'anywhere' }}>
                  <SubjectLink search={search} by="endpoint" method={item.method} name={item.endpoint} />
                </Cell>
                <Cell column="Failed" className="numbers">
                  <Count where={conditionOfOne(search, 'endpoint', item, IS_FAILURE)}>{item.failed}</Count> of{' '}
                  {whole(item.requests)}
                </Cell>
                <Cell column="Failure rate" className="numbers">
                  {share(item.failure_rate)}
                </Cell>
                <Cell column="Statuses">
                  <Group gap={4}>
                    {item.statuses.slice(0, 5).map(({ status }) => (
                      <StatusBadge key={status} status={status} />
                    ))}
                  </Group>
                </Cell>
                <Cell column="Last failure">
                  <Ago at={item.last_failed_at} />
                </Cell>
              </Table.Tr>
            ))}
          </Rows>
        </>
      )}
    </>
  );
}
