import { Badge } from '@mantine/core';
import { inWords } from './words.js';

/** Colours of states and severities. Any other is grey. */
const COLORS: ReadonlyMap<string, string> = new Map([
  ['critical', 'red'],
  ['warning', 'orange'],
  ['open', 'red'],
  ['acknowledged', 'orange'],
  ['failing', 'red'],
  ['firing', 'red'],
  ['pending', 'orange'],
  ['recovering', 'orange'],
  ['active', 'sea'],
  ['sent', 'sea'],
  ['dispatched', 'sea'],
  ['healthy', 'sea'],
  ['retrying', 'orange'],
  ['scheduled_retry', 'orange'],
  ['retryable', 'orange'],
  ['claimed', 'orange'],
  ['degraded', 'orange'],
  ['stale', 'orange'],
  ['failed', 'red'],
  ['exhausted', 'red'],
  ['retry_exhausted', 'red'],
  ['dlq', 'red'],
  ['terminal', 'red'],
]);

export function StateBadge({ state }: { readonly state: string }) {
  return (
    <Badge
      className="state-badge"
      variant="light"
      color={COLORS.get(state) ?? 'gray'}
      tt="none"
      style={{ flexShrink: 0 }}
      styles={{ label: { overflow: 'visible' } }}
    >
      {inWords(state)}
    </Badge>
  );
}
