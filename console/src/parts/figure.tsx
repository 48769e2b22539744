import { Card, Text } from '@mantine/core';

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
}

/** Shows one important number with its name. */
export function Figure({ name, value, note, isBad = false }: Props) {
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
        {value}
      </Text>
      <Text size="xs" c="dimmed" mih="1.5em">
        {note}
      </Text>
    </Card>
  );
}

/** Returns the change against the previous window in words, or undefined when there is nothing to compare with. */
export function changeNote(change: number | null | undefined): string | undefined {
  if (change === null || change === undefined) return undefined;
  return Math.abs(change) < 0.005 ? 'as before' : `${SIGNED.format(change)} against before`;
}
