import { Badge, Group, Table, Text, UnstyledButton } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import type { ReactNode } from 'react';
import { Moment } from '../../../parts/moment.js';
import { Rows } from '../../../parts/rows.js';
import { StateBadge } from '../../../parts/state-badge.js';
import { inWords } from '../../../parts/words.js';

type Attempt = Schemas['AttemptResponse'];

interface Props {
  readonly label: string;
  readonly attempts: readonly Attempt[];
  readonly onShow: (id: string) => void;
  /** Renders the actions of an attempt. */
  readonly act?: (attempt: Attempt) => ReactNode;
}

export function AttemptRows({ label, attempts, onShow, act }: Props) {
  return (
    <Rows
      label={label}
      columns={['When', 'Channel', 'Status', 'Answer', ...(act === undefined ? [] : [null])]}
      minWidth={720}
    >
      {attempts.map((attempt) => (
        <Table.Tr key={attempt.id}>
          <Table.Td>
            <UnstyledButton onClick={() => onShow(attempt.id)} c="var(--mantine-color-anchor)" fz="sm">
              <Moment at={attempt.created_at} />
            </UnstyledButton>
          </Table.Td>
          <Table.Td>
            {attempt.channel_name ?? 'Deleted'}
            <Text size="xs" c="dimmed">
              {attempt.channel_type ?? ''} {attempt.kind === 'test' && '· test'}
            </Text>
          </Table.Td>
          <Table.Td>
            <Group gap={6}>
              <StateBadge state={attempt.status} />
              {attempt.is_dlq ? (
                <StateBadge state="dlq" />
              ) : (
                attempt.retry_state !== null &&
                attempt.retry_state !== 'pending' && <StateBadge state={attempt.retry_state} />
              )}
              {attempt.lifecycle.includes('replay') && (
                <Badge variant="outline" color="gray" tt="none">
                  replay
                </Badge>
              )}
            </Group>
            {attempt.next_retry_at !== null && (
              <Text size="xs" c="dimmed">
                again at <Moment at={attempt.next_retry_at} clockOnly />
              </Text>
            )}
          </Table.Td>
          <Table.Td>
            <Text size="sm">
              {attempt.response_code ?? '–'}
              {attempt.retry_count > 0 &&
                ` after ${attempt.retry_count} ${attempt.retry_count === 1 ? 'retry' : 'retries'}`}
            </Text>
            {attempt.failure_reason !== null && (
              <Text size="xs" c="dimmed" lineClamp={2}>
                {inWords(attempt.failure_reason)}
              </Text>
            )}
          </Table.Td>
          {act !== undefined && <Table.Td ta="end">{act(attempt)}</Table.Td>}
        </Table.Tr>
      ))}
    </Rows>
  );
}
