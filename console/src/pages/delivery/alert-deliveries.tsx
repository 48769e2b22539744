import { Button, Group, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { alertDeliveries, alertDeliveriesKey, destinations } from '../../api/delivery.js';
import { OPERATORS, useRefusal } from '../../api/roles.js';
import { Act } from '../../parts/act.js';
import { Choice } from '../../parts/choice.js';
import { Dialog } from '../../parts/dialog.js';
import { DurationSelect } from '../../parts/durations.js';
import { Failure, sentenceOf } from '../../parts/failures.js';
import { LinkAnchor, LinkButton } from '../../parts/links.js';
import { Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Paged } from '../../parts/paged.js';
import { Empty, Rows } from '../../parts/rows.js';
import { StateBadge } from '../../parts/state-badge.js';
import { searchChange } from '../../parts/use-search-change.js';
import { useStop } from '../../parts/use-stop.js';
import { inWords } from '../../parts/words.js';
import type { AlertDeliverySearch } from '../../routes/delivery.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { AlertDeliveryDrawer } from './alert-delivery-detail.js';

type Delivery = Schemas['AlertDeliveryResponse'];

const route = getRouteApi('/signed-in/o/$organization/p/$project/alert-deliveries');

export function AlertDeliveriesPage() {
  const { organization, project } = useCurrentProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = searchChange<AlertDeliverySearch>(navigate);
  const { data, error } = useQuery(alertDeliveries(project.id, search));
  const { data: known } = useQuery(destinations(project.id));
  const refusal = useRefusal(project.id, OPERATORS);
  const [isRetrying, setIsRetrying] = useState(false);
  const [shown, setShown] = useState<string>();
  const params = { organization: organization.slug, project: project.slug };
  const isFiltered = Object.values<unknown>({ ...search, page: undefined }).some((value) => value !== undefined);
  return (
    <Stack gap="lg">
      <PageHead title="Alert deliveries" about="What each destination was told, and whether it took it.">
        <Act refusal={refusal} variant="default" onAct={() => setIsRetrying(true)}>
          Retry failed ones
        </Act>
      </PageHead>
      <Group gap="sm" align="flex-end">
        <Choice
          label="Status"
          options={['pending', 'retrying', 'sent', 'failed'] as const}
          value={search.status}
          onChange={(status) => set({ status, page: undefined })}
        />
        <Choice
          label="Destination"
          options={(known ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={search.destination}
          onChange={(destination) => set({ destination, page: undefined })}
        />
        {search.alert !== undefined && (
          <Button variant="light" onClick={() => set({ alert: undefined, page: undefined })}>
            Of one alert alone: show all
          </Button>
        )}
      </Group>
      <Paged
        asked={{ data, error }}
        page={search.page}
        onPage={(page) => set({ page })}
        empty={
          <Empty
            title={isFiltered ? 'No delivery fits' : 'Nothing was told yet'}
            about="When an alert is raised, each destination of its rule is told. Every telling is a row here, with what became of it."
          >
            {!isFiltered && (
              <LinkButton variant="default" to="/o/$organization/p/$project/destinations" params={params}>
                To the destinations
              </LinkButton>
            )}
          </Empty>
        }
      >
        {(items) => (
          <Rows
            label="Alert deliveries"
            columns={['When', 'Destination', 'Status', 'Answer', 'Alert', null]}
            minWidth={820}
          >
            {items.map((delivery) => (
              <DeliveryRow
                key={delivery.id}
                delivery={delivery}
                refusal={refusal}
                onShow={() => setShown(delivery.id)}
              />
            ))}
          </Rows>
        )}
      </Paged>
      <AlertDeliveryDrawer id={shown} onClose={() => setShown(undefined)} />
      <Dialog title="Retry failed ones" isOpen={isRetrying} onClose={() => setIsRetrying(false)}>
        <RetryFailed search={search} onClose={() => setIsRetrying(false)} />
      </Dialog>
    </Stack>
  );
}

interface RowProps {
  readonly delivery: Delivery;
  /** Why the caller may not retry; undefined when they may. */
  readonly refusal: string | undefined;
  readonly onShow: () => void;
}

function DeliveryRow({ delivery, refusal, onShow }: RowProps) {
  const { organization, project } = useCurrentProject();
  const queries = useQueryClient();
  const retrying = useMutation({
    mutationFn: () => api.retryAlertDelivery({ path: { delivery_id: delivery.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: alertDeliveriesKey(project.id) }),
  });
  return (
    <Table.Tr>
      <Table.Td>
        <Moment at={delivery.created_at} />
      </Table.Td>
      <Table.Td>{delivery.destination_name}</Table.Td>
      <Table.Td>
        <StateBadge state={delivery.status} />
        {delivery.next_retry_at !== null && (
          <Text size="xs" c="dimmed">
            again at <Moment at={delivery.next_retry_at} clockOnly />
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Text size="sm">
          {delivery.response_code ?? '–'}
          {delivery.retry_count > 0 && ` after ${delivery.retry_count} ${delivery.retry_count === 1 ? 'try' : 'tries'}`}
        </Text>
        {delivery.failure_reason !== null && (
          <Text size="xs" c="dimmed">
            {inWords(delivery.failure_reason)}
          </Text>
        )}
        {retrying.error !== null && (
          <Text size="xs" c="red" role="alert">
            {sentenceOf(retrying.error)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <LinkAnchor
          to="/o/$organization/p/$project/alerts"
          params={{ organization: organization.slug, project: project.slug }}
          search={{ status: 'all', alert: delivery.alert_event_id }}
          size="sm"
        >
          Show it
        </LinkAnchor>
      </Table.Td>
      <Table.Td ta="end">
        <Button size="xs" variant="subtle" onClick={onShow}>
          Details
        </Button>
        {delivery.status === 'failed' && (
          <Act
            size="xs"
            variant="subtle"
            refusal={refusal}
            loading={retrying.isPending}
            onAct={() => retrying.mutate()}
          >
            Retry
          </Act>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/**
 * Retries the deliveries that have failed when it starts, a thousand per request. Deliveries that fail again meanwhile
 * are not retried a second time.
 */
function RetryFailed({ search, onClose }: { readonly search: AlertDeliverySearch; readonly onClose: () => void }) {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  const { begin } = useStop();
  const [begun, setBegun] = useState(0);
  const [seconds, setSeconds] = useState(86_400);
  const retrying = useMutation({
    mutationFn: async () => {
      const signal = begin();
      const from_ts = new Date(Date.now() - seconds * 1000).toISOString();
      const { destination: destination_id, alert: alert_event_id } = search;
      const body = { project_id: project.id, from_ts, destination_id, alert_event_id };
      const retry = async (before: number) => {
        const { retried, remaining } = await api.retryFailedAlertDeliveries({ body }, { signal });
        setBegun(before + retried);
        return { retried, remaining };
      };
      const first = await retry(0);
      const most = first.retried + first.remaining;
      for (let all = first.retried, last = first; all < most && last.retried > 0; all += last.retried)
        last = await retry(all);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: alertDeliveriesKey(project.id) }),
  });
  const isNarrowed = search.destination !== undefined || search.alert !== undefined;
  return (
    <Stack>
      <Text>
        Every delivery {isNarrowed ? 'of the chosen destination or alert ' : ''}that has failed begins anew, with all
        its tries.
      </Text>
      <DurationSelect
        label="Made in the last"
        choices={[3_600, 86_400, 604_800, 2_592_000]}
        value={seconds}
        onChange={setSeconds}
      />
      <Failure error={retrying.error} />
      {!retrying.isIdle && (
        <Text fw={600} role="status">
          {begun} begun anew{retrying.isPending ? ' so far' : ''}
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button loading={retrying.isPending} disabled={retrying.isSuccess} onClick={() => retrying.mutate()}>
          Retry them
        </Button>
      </Group>
    </Stack>
  );
}
