import { Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { alertDelivery, attemptsKey } from '../../../api/delivery.js';
import { OPERATORS, useRefusal } from '../../../api/roles.js';
import { Act } from '../../../parts/act.js';
import { Fact, Facts } from '../../../parts/facts.js';
import { Failure } from '../../../parts/failures.js';
import { LinkAnchor } from '../../../parts/links.js';
import { Moment } from '../../../parts/moment.js';
import { StateBadge } from '../../../parts/state-badge.js';
import { inWords } from '../../../parts/words.js';
import { PendingPage } from '../../../shell/around-pages.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { SentRequest } from './sent-request.js';

/** An attempt to notify an alert webhook or Slack. */
export function AlertDeliveryDetail({ id }: { readonly id: string }) {
  const { organization, project } = useCurrentProject();
  const queries = useQueryClient();
  const { data, error } = useQuery(alertDelivery(project.id, id));
  const mayNot = useRefusal(project.id, OPERATORS);
  const retrying = useMutation({
    mutationFn: () => api.retryAlertDelivery({ path: { delivery_id: id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: attemptsKey(project.id) }),
  });
  if (data === undefined) return error === null ? <PendingPage /> : <Failure error={error} />;
  const hasFailed = data.status === 'failed';
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="xs">
          <StateBadge state={data.status} />
          <Text fw={600}>{data.destination_name}</Text>
        </Group>
        <Act
          size="xs"
          variant={hasFailed ? 'filled' : 'default'}
          refusal={mayNot ?? (hasFailed ? undefined : 'Only a failed attempt can be sent again')}
          loading={retrying.isPending}
          onAct={() => retrying.mutate()}
        >
          Retry
        </Act>
      </Group>
      <Failure error={retrying.error} title="It was not sent again" />
      <Facts>
        <Fact name="Endpoint">{data.destination_name}</Fact>
        <Fact name="Alert">
          <LinkAnchor
            to="/o/$organization/p/$project/alerts"
            params={{ organization: organization.slug, project: project.slug }}
            search={{ status: 'all', alert: data.alert_event_id }}
            size="sm"
          >
            Show it
          </LinkAnchor>
        </Fact>
        <Fact name="Made">
          <Moment at={data.created_at} />
        </Fact>
        {data.completed_at !== null && (
          <Fact name="Ended">
            <Moment at={data.completed_at} />
          </Fact>
        )}
        {data.next_retry_at !== null && (
          <Fact name="Next retry">
            <Moment at={data.next_retry_at} />
          </Fact>
        )}
        <Fact name="Answer">
          {data.response_code ?? 'None'}
          {data.response_summary !== null && (
            <Text size="xs" ff="monospace" mt={4}>
              {data.response_summary}
            </Text>
          )}
        </Fact>
        {data.failure_reason !== null && <Fact name="Failure">{inWords(data.failure_reason)}</Fact>}
        <Fact name="Failed sends">{data.retry_count}</Fact>
      </Facts>
      <SentRequest request={data.request} />
    </Stack>
  );
}
