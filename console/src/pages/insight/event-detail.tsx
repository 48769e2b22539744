import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { oneEvent } from '../../api/insight.js';
import { Failure } from '../../parts/failures.js';
import { Fact, Facts, JsonText } from '../../parts/facts.js';
import { Moment } from '../../parts/moment.js';
import { Side } from '../../parts/side.js';
import { StatusBadge } from '../../parts/status-badge.js';
import { PendingPage } from '../../shell/around-pages.js';
import { SeverityBadge } from './event-list.js';

interface Props {
  readonly projectId: string;
  /** Undefined: the panel is closed. */
  readonly eventId: string | undefined;
  readonly onClose: () => void;
  /** Stays while another event is read. */
  readonly head?: ReactNode;
  /** Shows more of the event, between its facts and its properties. */
  readonly children?: (event: Schemas['EventDetail']) => ReactNode;
}

/** Shows one event with all its details, next to the list. */
export function EventDetail({ projectId, eventId, onClose, head, children }: Props) {
  const { data, error } = useQuery(oneEvent(projectId, eventId ?? ''));
  return (
    <Side title="Event" isOpen={eventId !== undefined} onClose={onClose}>
      {head}
      <Failure error={error} />
      {data === undefined
        ? error === null && <PendingPage />
        : error === null && <Known event={data}>{children?.(data)}</Known>}
    </Side>
  );
}

function Known({ event, children }: { readonly event: Schemas['EventDetail']; readonly children: ReactNode }) {
  const { log, related_alerts: alerts } = event;
  return (
    <Stack>
      <Facts>
        <Fact name="Time">
          <Moment at={event.timestamp} />
        </Fact>
        <Fact name="Event">{event.event}</Fact>
        <Fact name="Source">{event.source}</Fact>
        <Fact name="Severity">{event.severity === null ? '–' : <SeverityBadge severity={event.severity} />}</Fact>
        <Fact name="Status">{event.status ?? '–'}</Fact>
        <Fact name="Environment">{event.environment ?? '–'}</Fact>
        <Fact name="Message">{event.message ?? '–'}</Fact>
        <Fact name="Request">
          <Group gap="xs">
            {log.method} {log.endpoint} <StatusBadge status={log.status} /> {log.latency_ms} ms
          </Group>
        </Fact>
        <Fact name="Received">
          <Moment at={event.created_at} />
        </Fact>
        <Fact name="Sender ID">{event.external_event_id ?? '–'}</Fact>
        <Fact name="ID">{event.id}</Fact>
      </Facts>
      {children}
      <JsonText name="Properties" value={event.properties} />
      <div>
        <Title order={3} size="h6" mb={4}>
          Alerts
        </Title>
        {alerts.length === 0 ? (
          <Text size="sm" c="dimmed">
            This event has raised no alert, and none counts it.
          </Text>
        ) : (
          <Stack gap="xs">
            {alerts.map((alert) => (
              <Group key={alert.id} gap="xs">
                <Badge variant="light" tt="none" color={alert.severity === 'critical' ? 'red' : 'orange'}>
                  {alert.status}
                </Badge>
                <Text size="sm">{alert.message}</Text>
              </Group>
            ))}
          </Stack>
        )}
      </div>
    </Stack>
  );
}
