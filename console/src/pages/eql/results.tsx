import { Alert, Badge, Card, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { Moment } from '../../parts/moment.js';
import { duration, numbered } from '../../parts/numbers.js';
import { Empty } from '../../parts/rows.js';
import { EventList, SeverityBadge } from '../insight/event-list.js';

type Answer = Schemas['EqlAnswer'];
type Event = Schemas['EventRecord'];
type Found = Schemas['FoundSequenceResponse'];

interface Props {
  readonly answer: Answer;
  readonly onShow: (event: Event) => void;
}

const NAMES: Record<Answer['kind'], readonly [one: string, many: string]> = {
  events: ['event', 'events'],
  sequences: ['sequence', 'sequences'],
  samples: ['sample', 'samples'],
};

export function Results({ answer, onShow }: Props) {
  const { kind, events, sequences, has_more, scanned, took_ms, warnings } = answer;
  const count = kind === 'events' ? events.length : sequences.length;
  const [one, many] = NAMES[kind];
  return (
    <Stack gap="sm">
      {warnings.map((warning) => (
        <Alert key={warning} color="orange" variant="light">
          <Text size="sm">{warning}</Text>
        </Alert>
      ))}
      <Text size="sm" c="dimmed" role="status" className="numbers">
        {numbered(count, one, many)}
        {has_more ? ' and more' : ''}, of {numbered(scanned, 'event')} read in {duration(took_ms / 1000)}
      </Text>
      {count === 0 && <Empty title="No event matches" about="A longer time or fewer conditions may show some." />}
      {kind === 'events' && count > 0 && (
        <Card withBorder padding={0}>
          <EventList events={events} onShow={onShow} />
        </Card>
      )}
      {kind !== 'events' &&
        sequences.map((found, index) => (
          <Chain key={index} found={found} isOrdered={kind === 'sequences'} onShow={onShow} />
        ))}
    </Stack>
  );
}

interface ChainProps {
  readonly found: Found;
  /** Whether the events form a sequence in time. */
  readonly isOrdered: boolean;
  readonly onShow: (event: Event) => void;
}

/** Shows events that belong together in a list, with the time between them. */
function Chain({ found: { join_keys: keys, events }, isOrdered, onShow }: ChainProps) {
  const times = events.map((event) => ('missing' in event ? null : Date.parse(event.timestamp)));
  return (
    <Card withBorder padding="sm" component="section" aria-label={keys.map(String).join(', ') || 'Events'}>
      {keys.length > 0 && (
        <Group gap="xs" mb="xs">
          {keys.map((key, index) => (
            <Badge key={index} variant="light" tt="none">
              {key === null ? 'missing' : String(key)}
            </Badge>
          ))}
        </Group>
      )}
      <Stack gap={2} component="ol" className="chain">
        {events.map((event, index) => (
          <li key={index}>
            {'missing' in event ? (
              <Text size="sm" c="dimmed" fs="italic" px={6}>
                No such event
              </Text>
            ) : (
              <UnstyledButton className="chain-event numbers" onClick={() => onShow(event)}>
                <Text span inherit c="dimmed">
                  <Moment at={event.timestamp} isShort />
                </Text>
                <b>{event.event}</b>
                <span>from {event.source}</span>
                {event.severity !== null && <SeverityBadge severity={event.severity} />}
                {isOrdered && (
                  <Text span inherit c="dimmed">
                    {since(times, index)}
                  </Text>
                )}
              </UnstyledButton>
            )}
          </li>
        ))}
      </Stack>
    </Card>
  );
}

/** Returns the time since the previous event; empty for the first. */
function since(times: readonly (number | null)[], index: number): string {
  const now = times[index];
  const before = times.slice(0, index).findLast((time) => time !== null);
  if (typeof now !== 'number' || typeof before !== 'number') return '';
  return `${duration((now - before) / 1000)} later`;
}
