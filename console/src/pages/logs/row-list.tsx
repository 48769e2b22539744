import { Badge, Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { Moment } from '../../parts/moment.js';
import type { LogRow } from './log-tail.js';

const ROW_PX = 34;

interface Props {
  readonly rows: readonly LogRow[];
  readonly onShow: (row: LogRow) => void;
}

/** Of any number of rows only those in sight are in the page. */
export function RowList({ rows, onShow }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 12,
  });
  return (
    <div ref={scroller} className="rows" role="group" aria-label={`${rows.length} log rows`}>
      <div className="rows-inner" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <button
              key={String(key)}
              type="button"
              className="row numbers"
              style={{ transform: `translateY(${start}px)` }}
              onClick={() => onShow(row)}
            >
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
            </button>
          );
        })}
      </div>
    </div>
  );
}

export function StatusBadge({ status }: { readonly status: number }) {
  const color = status >= 500 ? 'red' : status >= 400 ? 'orange' : 'sea';
  return (
    <Badge variant="light" color={color} size="sm" px={6}>
      {status}
    </Badge>
  );
}
