import { useQuery } from '@tanstack/react-query';
import { Card } from '@mantine/core';
import { useState } from 'react';
import { slowest } from '../../api/insight.js';
import { Failure } from '../../parts/failures.js';
import { Empty } from '../../parts/rows.js';
import { PendingPage } from '../../shell/around-pages.js';
import { LogRowDetail } from '../logs/log-row-detail.js';
import type { LogRow } from '../logs/log-tail.js';
import { RowList } from '../logs/row-list.js';
import type { ListProps } from './performance.js';

/** Shows the hundred slowest requests as rows of the log. */
export function SlowestRows({ projectId, window, requests }: ListProps) {
  const { data, error, isPending } = useQuery(slowest(projectId, window, requests));
  const [shown, setShown] = useState<LogRow | null>(null);
  if (isPending) return <PendingPage />;
  return (
    <>
      <Failure error={error} />
      {data?.length === 0 && (
        <Empty
          title="Nothing was measured in this time"
          about="Requests that carry a latency stand here, slowest first."
        />
      )}
      {data !== undefined && data.length > 0 && (
        <Card withBorder padding={0}>
          <RowList rows={data} onShow={setShown} />
        </Card>
      )}
      <LogRowDetail row={shown} onClose={() => setShown(null)} />
    </>
  );
}
