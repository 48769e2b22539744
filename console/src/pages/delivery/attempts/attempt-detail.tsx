import { Group, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { attempt, retryAudits } from '../../../api/delivery.js';
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
import { AlertDeliveryDetail } from './alert-delivery-detail.js';
import { stateOf } from './attempt-state.js';
import { Recovery } from './recovery.js';
import { SentRequest } from './sent-request.js';

type Attempt = Schemas['AttemptDetailResponse'];

interface Props {
  /** The id of the attempt of a channel that is shown. */
  readonly attempt: string | undefined;
  /** The id of the alert delivery that is shown. Without any id the drawer is closed. */
  readonly delivery?: string | undefined;
  /** Shows another attempt of a channel, or closes the drawer. */
  readonly onShow: (id: string | undefined) => void;
}

export function AttemptDrawer({ attempt: id, delivery, onShow }: Props) {
  return (
    <Side title="Attempt" isOpen={(id ?? delivery) !== undefined} onClose={() => onShow(undefined)}>
      {id !== undefined ? (
        <Detail key={id} id={id} onShow={onShow} />
      ) : (
        delivery !== undefined && <AlertDeliveryDetail key={delivery} id={delivery} />
      )}
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
        <StateBadge state={stateOf({ of: 'channel', it: data })} />
        <Text fw={600}>{data.channel_name ?? 'A deleted endpoint'}</Text>
      </Group>
      <Recovery attempt={data} onShow={onShow} />
      <Known attempt={data} />
      <Lineage attempt={data} onShow={onShow} />
      <Retries attempt={data} />
      <SentRequest request={data.request} />
    </Stack>
  );
}

function Known({ attempt: one }: { readonly attempt: Attempt }) {
  const { base_delay_seconds, max_attempts, strategy } = one.retry_policy;
  return (
    <Facts>
      <Fact name="Endpoint">
        {one.channel_name ?? 'Deleted'}
        {one.channel_enabled === false && ', switched off'}
      </Fact>
      <Sources attempt={one} />
      <Fact name="Made">
        <Moment at={one.created_at} />
      </Fact>
      {one.completed_at !== null && (
        <Fact name="Ended">
          <Moment at={one.completed_at} />
        </Fact>
      )}
      {one.next_retry_at !== null && (
        <Fact name="Next retry">
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
      {one.failure_reason !== null && <Fact name="Failure">{inWords(one.failure_reason)}</Fact>}
      <Fact name="Sends">{one.try_number}</Fact>
      <Fact name="Retry policy">
        At most {max_attempts ?? 3} retries, {strategy ?? 'exponential'} delay from{' '}
        {durationOf(base_delay_seconds ?? 60)}
      </Fact>
    </Facts>
  );
}

/** The rule and the event of an attempt. A test has neither. */
function Sources({ attempt: { rule_id, event_id } }: { readonly attempt: Attempt }) {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  if (rule_id === null && event_id === null) return null;
  return (
    <Fact name="Cause">
      <Group gap="md">
        {rule_id !== null && (
          <LinkAnchor
            to="/o/$organization/p/$project/alert-rules/$rule"
            params={{ ...params, rule: rule_id }}
            size="sm"
          >
            Rule
          </LinkAnchor>
        )}
        {event_id !== null && (
          <LinkAnchor
            to="/o/$organization/p/$project/logs"
            params={params}
            search={{ range: 'all', shown: event_id }}
            size="sm"
          >
            Event
          </LinkAnchor>
        )}
      </Group>
    </Fact>
  );
}

/** The retries of an attempt, newest first. */
function Retries({ attempt: { id } }: { readonly attempt: Attempt }) {
  const { organization, project } = useCurrentProject();
  const { data, error } = useQuery(retryAudits(project.id, { attempt: id }));
  if (data?.total === 0) return null;
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Title order={3} size="h6">
          Retries so far
        </Title>
        <LinkAnchor
          to="/o/$organization/p/$project/retries"
          params={{ organization: organization.slug, project: project.slug }}
          search={{ attempt: id }}
          size="sm"
        >
          Its retries
        </LinkAnchor>
      </Group>
      <Failure error={error} />
      {data?.items.map((audit) => (
        <Group key={audit.id} gap="xs">
          <Text size="sm">{audit.retry_number}</Text>
          <StateBadge state={audit.status} />
          <Text size="xs" c="dimmed">
            {audit.response_code !== null && `Answer ${audit.response_code} · `}
            <Moment at={audit.started_at} />
          </Text>
        </Group>
      ))}
    </Stack>
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
