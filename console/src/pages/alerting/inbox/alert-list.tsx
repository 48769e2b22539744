import { Box, Checkbox, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { Moment } from '../../../parts/moment.js';
import { numbered } from '../../../parts/numbers.js';
import { StateBadge } from '../../../parts/state-badge.js';

type AlertEvent = Schemas['AlertEventResponse'];

const ROW_PX = 64;

interface Props {
  readonly alerts: readonly AlertEvent[];
  readonly total: number;
  /** The id of the alert that is shown. */
  readonly shown: string | undefined;
  /** Whether the alert was chosen with the keyboard, so that its row is scrolled into view and focused. */
  readonly isByKey: boolean;
  readonly chosen: ReadonlySet<string>;
  readonly onShow: (id: string) => void;
  readonly onChoose: (id: string) => void;
  /** Called when the end of the loaded alerts is in view. */
  readonly onEnd: () => void;
}

/** Renders only the rows in view, whatever the number of alerts. */
export function AlertList({ alerts, total, shown, isByKey, chosen, onShow, onChoose, onEnd }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: alerts.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => alerts[index]?.id ?? index,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  const isAtEnd = last >= alerts.length - 1 && alerts.length < total;
  useEffect(() => {
    if (isAtEnd) onEnd();
  }, [isAtEnd, onEnd]);
  useEffect(() => {
    if (!isByKey || shown === undefined) return;
    const index = alerts.findIndex(({ id }) => id === shown);
    if (index >= 0) virtual.scrollToIndex(index);
    scroller.current?.querySelector<HTMLElement>(`[data-alert="${shown}"]`)?.focus({ preventScroll: true });
  }, [alerts, isByKey, shown, virtual]);
  return (
    <div ref={scroller} className="rows inbox" role="group" aria-label={numbered(total, 'alert')}>
      <div className="rows-inner" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ key, index, start }) => {
          const alert = alerts[index];
          if (alert === undefined) return null;
          return (
            <Box
              key={String(key)}
              className="inbox-row"
              style={{ transform: `translateY(${start}px)` }}
              data-shown={alert.id === shown || undefined}
            >
              <Checkbox
                aria-label={`Choose ${alert.message}`}
                checked={chosen.has(alert.id)}
                onChange={() => onChoose(alert.id)}
              />
              <button
                type="button"
                data-alert={alert.id}
                aria-current={alert.id === shown || undefined}
                onClick={() => onShow(alert.id)}
              >
                <Text span inherit truncate fw={600}>
                  {alert.message}
                </Text>
                <Text span size="xs" c="dimmed" truncate>
                  {/* The list is sorted by this time. */}
                  <Moment at={alert.created_at} isShort />
                  {groupInWords(alert)}
                  {alert.occurrences > 1 && ` · ${alert.occurrences} times`}
                  {alert.status !== 'open' && ` · ${alert.status}`}
                </Text>
              </button>
              <StateBadge state={alert.severity} />
            </Box>
          );
        })}
      </div>
    </div>
  );
}

/** Returns the values of the alert's group, which tell it from the other alerts of its rule. */
function groupInWords({ group_values }: AlertEvent): string {
  return Object.entries(group_values)
    .map(([field, value]) => ` · ${field.replace('properties.', '')} = ${String(value)}`)
    .join('');
}
