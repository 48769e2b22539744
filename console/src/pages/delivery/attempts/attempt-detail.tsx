import { Group, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { attempt } from '../../../api/delivery.js';
import { durationOf } from '../../../parts/durations.js';
import { Fact, Facts } from '../../../parts/facts.js';
import { Failure } from '../../../parts/failures.js';
import { LinkAnchor } from '../../../parts/links.js';
import { Moment } from '../../../parts/moment.js';
import { Side } from '../../../parts/side.js';
import { StateBadge } from '../../../parts/state-badge.js';
import { inWords } from '../../../parts/words.js';
import { PendingPage } from '../../../shell/around-pages.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { SentRequest } from '../sent-request.js';
import { Recovery } from './recovery.js';

type Attempt = Schemas['AttemptDetailResponse'];

interface Props {
  /** The id of the attempt that is shown. Undefined: the drawer is closed. */
  readonly id: string | undefined;
  readonly onShow: (id: string | undefined) => void;
}

export function AttemptDrawer({ id, onShow }: Props) {
  return (
    <Side title="Attempt" isOpen={id !== undefined} onClose={() => onShow(undefined)}>
      {id !== undefined && <Detail key={id} id={id} onShow={onShow} />}
    </Side>
  );
}

function Detail({ id, onShow }: { readonly id: string; readonly onShow: (id: string) => void }) {
  const { project } = useCurrentProject();
  const { data, error } = useQuery(attempt(project.id, id));
  if (data === undefined) return error === null ? <PendingPage /> : <Failure error={error} />;
  return (
    <Stack>
      <Group gap="xs">
        <StateBadge state={data.status} />
        {data.retry_state !== null && <StateBadge state={data.retry_state} />}
      </Group>
      <What attempt={data} />
      <SentRequest request={data.request} />
      <Lineage attempt={data} onShow={onShow} />
      <Title order={3} size="h6">
        What may be done
      </Title>
      <Recovery attemptId={id} onShow={onShow} />
    </Stack>
  );
}

function What({ attempt: one }: { readonly attempt: Attempt }) {
  const { organization, project } = useCurrentProject();
  const { base_delay_seconds, max_attempts, strategy } = one.retry_policy;
  return (
    <Facts>
      <Fact name="Channel">
        {one.channel_name ?? 'Deleted'}
        {one.channel_enabled === false && ', switched off'}
      </Fact>
      <Fact name="Made">
        <Moment at={one.created_at} />
      </Fact>
      {one.completed_at !== null && (
        <Fact name="Ended">
          <Moment at={one.completed_at} />
        </Fact>
      )}
      {one.next_retry_at !== null && (
        <Fact name="Next try">
          <Moment at={one.next_retry_at} />
        </Fact>
      )}
      <Fact name="Answer">
        {one.response_code ?? 'None'}
        {one.response_metadata?.duration_ms !== undefined && ` after ${one.response_metadata.duration_ms} ms`}
        {one.response_summary !== null && one.response_summary !== '' && (
          <Text size="xs" ff="monospace" mt={4}>
            {one.response_summary}
          </Text>
        )}
      </Fact>
      {one.failure_reason !== null && <Fact name="Failed by">{inWords(one.failure_reason)}</Fact>}
      <Fact name="Tries">
        {one.try_number}
        {' so far. '}
        <LinkAnchor
          to="/o/$organization/p/$project/retries"
          params={{ organization: organization.slug, project: project.slug }}
          search={{ attempt: one.id }}
          size="sm"
        >
          Its retries
        </LinkAnchor>
      </Fact>
      <Fact name="Retries">
        {max_attempts ?? 3}, {strategy ?? 'exponential'}, from {durationOf(base_delay_seconds ?? 60)} on
      </Fact>
    </Facts>
  );
}

function Lineage({ attempt: one, onShow }: { readonly attempt: Attempt; readonly onShow: (id: string) => void }) {
  const { lineage } = one;
  const all: readonly (readonly [string, string | null])[] = [
    ['Replayed as', lineage.replay_attempt_id],
    ['Replay of', lineage.replay_source_attempt_id],
    ['Drained as', lineage.dlq_drain_attempt_id],
    ['Drained from', lineage.dlq_drain_source_attempt_id],
  ];
  const known = all.flatMap(([name, id]) => (id === null || id === one.id ? [] : [{ name, id }]));
  if (known.length === 0) return null;
  return (
    <Group gap="md">
      {known.map(({ name, id }) => (
        <UnstyledButton key={name} onClick={() => onShow(id)} c="var(--mantine-color-anchor)" fz="sm">
          {name} {id.slice(-6)}
        </UnstyledButton>
      ))}
    </Group>
  );
}
