import { Badge, Group, Table, Text, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AnyAttempt } from '../../../api/delivery.js';
import { Moment } from '../../../parts/moment.js';
import { Cell, Rows } from '../../../parts/rows.js';
import { StateBadge } from '../../../parts/state-badge.js';
import { inWords } from '../../../parts/words.js';
import { endpointNameOf, endpointTypeOf, stateOf } from './attempt-state.js';

interface Props {
  readonly label: string;
  readonly attempts: readonly AnyAttempt[];
  readonly onShow: (attempt: AnyAttempt) => void;
  /** Renders the actions of an attempt. */
  readonly act?: (attempt: AnyAttempt) => ReactNode;
}

export function AttemptRows({ label, attempts, onShow, act }: Props) {
  return (
    <Rows
      label={label}
      columns={['Time', 'Status', 'Endpoint', 'Answer', ...(act === undefined ? [] : [null])]}
      minWidth={720}
    >
      {attempts.map((attempt) => (
        <Table.Tr key={attempt.it.id}>
          <Cell column="Time">
            <UnstyledButton onClick={() => onShow(attempt)} c="var(--mantine-color-anchor)" fz="sm">
              <Moment at={attempt.it.created_at} />
            </UnstyledButton>
          </Cell>
          <Cell column="Status">
            <Group gap={6}>
              <StateBadge state={stateOf(attempt)} />
              {kindsOf(attempt).map((kind) => (
                <Badge key={kind} variant="outline" color="gray" tt="none">
                  {kind}
                </Badge>
              ))}
            </Group>
            {attempt.it.next_retry_at !== null && (
              <Text size="xs" c="dimmed">
                again at <Moment at={attempt.it.next_retry_at} clockOnly />
              </Text>
            )}
          </Cell>
          <Cell column="Endpoint">
            {endpointNameOf(attempt)}
            <Text size="xs" c="dimmed">
              {endpointTypeOf(attempt)}
            </Text>
          </Cell>
          <Cell column="Answer">
            <Text size="sm">
              {attempt.it.response_code ?? '–'}
              {attempt.it.retry_count > 0 && ` after ${triesOf(attempt)}`}
            </Text>
            {attempt.it.failure_reason !== null && (
              <Text size="xs" c="dimmed" lineClamp={2}>
                {inWords(attempt.it.failure_reason)}
              </Text>
            )}
          </Cell>
          {act !== undefined && <Table.Td ta="end">{act(attempt)}</Table.Td>}
        </Table.Tr>
      ))}
    </Rows>
  );
}

function kindsOf({ of, it }: AnyAttempt): string[] {
  if (of === 'destination') return [];
  return [
    ...(it.kind === 'test' ? ['test'] : []),
    ...(it.lifecycle.includes('replay') ? ['replay'] : []),
    ...(it.lifecycle.includes('replay_created') ? ['replayed'] : []),
  ];
}

/** The service counts retries of channels, and failed sends of destinations. */
function triesOf({ of, it: { retry_count: count } }: AnyAttempt): string {
  if (of === 'destination') return `${count} failed ${count === 1 ? 'send' : 'sends'}`;
  return `${count} ${count === 1 ? 'retry' : 'retries'}`;
}
