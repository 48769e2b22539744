import './event-list.css';
import { Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { Moment } from '../../parts/moment.js';
import { numbered } from '../../parts/numbers.js';
import { Tone, type ToneColor } from '../../parts/tone.js';
import { VirtualRows } from '../../parts/virtual-rows.js';

type Event = Schemas['EventRecord'];

interface Props {
  readonly events: readonly Event[];
  readonly onShow: (event: Event) => void;
}

export function EventList({ events, onShow }: Props) {
  return (
    <VirtualRows rows={events} label={numbered(events.length, 'event')} kind="event" onShow={onShow}>
      {(event) => (
        <>
          <Text span inherit c="dimmed">
            <Moment at={event.timestamp} isShort />
          </Text>
          <Text span inherit fw={600}>
            {event.event}
          </Text>
          <span className="wide">{event.source}</span>
          <span>{event.severity !== null && <SeverityBadge severity={event.severity} />}</span>
          <Text span inherit c="dimmed" className="wide">
            {event.message ?? JSON.stringify(event.properties)}
          </Text>
        </>
      )}
    </VirtualRows>
  );
}

const COLORS: ReadonlyMap<string, ToneColor> = new Map([
  ['critical', 'red'],
  ['fatal', 'red'],
  ['error', 'red'],
  ['warning', 'orange'],
  ['warn', 'orange'],
  ['debug', 'gray'],
]);

/** Shows the severity as the sender wrote it. */
export function SeverityBadge({ severity }: { readonly severity: string }) {
  return <Tone color={COLORS.get(severity.toLowerCase()) ?? 'sea'}>{severity}</Tone>;
}
