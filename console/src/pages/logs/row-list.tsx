import { Text } from '@mantine/core';
import { Moment } from '../../parts/moment.js';
import { StatusBadge } from '../../parts/status-badge.js';
import { VirtualRows } from '../../parts/virtual-rows.js';
import type { LogRow } from './log-tail.js';

interface Props {
  readonly rows: readonly LogRow[];
  readonly onShow: (row: LogRow) => void;
}

export function RowList({ rows, onShow }: Props) {
  return (
    <VirtualRows rows={rows} label={`${rows.length} log rows`} kind="log" onShow={onShow}>
      {(row) => (
        <>
          <Text span inherit c="dimmed">
            <Moment at={row.timestamp} clockOnly />
          </Text>
          <Text span inherit fw={600}>
            {row.method}
          </Text>
          <Text span inherit ff="monospace">
            {row.endpoint}
          </Text>
          <StatusBadge status={row.status} />
          <span className="end wide">{row.latency_ms} ms</span>
        </>
      )}
    </VirtualRows>
  );
}
