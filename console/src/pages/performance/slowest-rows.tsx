import { Anchor, Table } from '@mantine/core';
import { slowest } from '../../api/insight.js';
import { useAnswer } from '../../parts/answers.js';
import { Failure } from '../../parts/failures.js';
import { Moment } from '../../parts/moment.js';
import { milliseconds } from '../../parts/numbers.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { StatusBadge } from '../../parts/status-badge.js';
import { PendingPage } from '../../shell/around-pages.js';
import { EventDetail } from '../insight/event-detail.js';
import { type PartProps, requestsOf } from './part-props.js';

interface Props extends PartProps {
  readonly limit: number;
}

/** Lists the slowest requests. A click on one opens its event. */
export function SlowestRows({ projectId, window, search, set, limit }: Props) {
  const { data, error, isPending } = useAnswer(slowest(projectId, window, requestsOf(search), limit));
  if (isPending) return <PendingPage />;
  return (
    <>
      <Failure error={error} />
      {data?.length === 0 && (
        <Empty title="No latencies in this time" about="Requests with a latency are listed here, slowest first." />
      )}
      {data !== undefined && data.length > 0 && (
        <Rows label="Slowest requests" columns={['Request', 'Latency', 'Status', 'Time']}>
          {data.map((row) => (
            <Table.Tr key={row.id}>
              <Cell column="Request" style={{ overflowWrap: 'anywhere' }}>
                <Anchor
                  component="button"
                  type="button"
                  ta="start"
                  size="sm"
                  ff="monospace"
                  onClick={() => set({ shown: row.id })}
                >
                  {row.method} {row.endpoint}
                </Anchor>
              </Cell>
              <Cell column="Latency" className="numbers">
                {milliseconds(row.latency_ms)}
              </Cell>
              <Cell column="Status">
                <StatusBadge status={row.status} />
              </Cell>
              <Cell column="Time">
                <Moment at={row.timestamp} isShort />
              </Cell>
            </Table.Tr>
          ))}
        </Rows>
      )}
      <EventDetail projectId={projectId} eventId={search.shown} onClose={() => set({ shown: undefined })} />
    </>
  );
}
