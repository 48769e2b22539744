import { Text } from '@mantine/core';
import { wordsOf } from './words.js';

interface Props {
  /** The details of an audited act, by name, as the API returns them. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Shows the details of an act in one line. Leaves ids out, which are for programs. */
export function Detail({ detail }: Props) {
  const { from, to, ...others } = detail;
  const facts = Object.entries(others).filter(([name, value]) => !/(^|_)ids?$/.test(name) && value !== null);
  const change = from === undefined || to === undefined ? [] : [`${written(from)} → ${written(to)}`];
  if (facts.length + change.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" maw={420} style={{ overflowWrap: 'anywhere' }}>
      {[...change, ...facts.map(([name, value]) => `${wordsOf(name)}: ${written(value)}`)].join(' · ')}
    </Text>
  );
}

function written(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) return Object.values(value).map(written).join(', ');
  return JSON.stringify(value);
}
