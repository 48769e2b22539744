import { Card, Text } from '@mantine/core';
import { EventsLink, type EventsSearch } from './events-link.js';

const SIGNED = new Intl.NumberFormat(undefined, {
  style: 'percent',
  signDisplay: 'exceptZero',
  maximumFractionDigits: 0,
});

interface Props {
  readonly name: string;
  readonly value: string;
  readonly note?: string | undefined;
  readonly isBad?: boolean;
  /** The filters of the events behind the number. */
  readonly events?: EventsSearch | undefined;
  /** Says which events these are. */
  readonly eventsTitle?: string;
}

/** Shows one important number with its name. */
export function Figure({ name, value, note, isBad = false, events, eventsTitle = 'Show the events' }: Props) {
  return (
    <Card withBorder padding="md" component="section" aria-label={name}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text
        fz={{ base: 22, sm: 28 }}
        fw={650}
        lh={1.2}
        className="numbers"
        c={isBad ? 'light-dark(#a51d1d, #ff8787)' : undefined}
      >
        {events === undefined ? (
          value
        ) : (
          <EventsLink inherit c="inherit" search={events} title={eventsTitle}>
            {value}
          </EventsLink>
        )}
      </Text>
      <Text size="xs" c="dimmed" mih="1.5em">
        {note}
      </Text>
    </Card>
  );
}

/** With fewer events in the previous period, a change in percent says nothing. */
export const MIN_COMPARED = 20;

/**
 * Returns the change of the number of events in words, or "new" when the previous period had hardly any. @param before the number in the
 * previous period. Undefined: there is none
 */
export function countNote(
  now: number | undefined,
  change: number | null | undefined,
  before: number | null | undefined,
): string | undefined {
  if (now === 0 && before === 0) return undefined;
  // A drop to zero is not new.
  const isNew = before !== undefined && before !== null && before < MIN_COMPARED && change !== -1;
  return isNew ? 'new' : changeNote(change, before);
}

/**
 * Returns the change since the previous period in words, or undefined when there is nothing to compare with.
 * @param before the events of the previous period. Undefined: there is none
 */
export function changeNote(change: number | null | undefined, before: number | null | undefined): string | undefined {
  if (before === null || before === undefined || before < MIN_COMPARED) return undefined;
  if (change === null || change === undefined) return undefined;
  return Math.abs(change) < 0.005 ? 'no change' : `${SIGNED.format(change)} vs. previous period`;
}
