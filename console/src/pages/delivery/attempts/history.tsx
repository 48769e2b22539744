import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { attempts, channels } from '../../../api/delivery.js';
import { Choice } from '../../../parts/choice.js';
import { LinkButton } from '../../../parts/links.js';
import { PageHead } from '../../../parts/page-head.js';
import { Paged } from '../../../parts/paged.js';
import { Empty } from '../../../parts/rows.js';
import { searchChange } from '../../../parts/use-search-change.js';
import { type AttemptSearch, RETRY_STATES } from '../../../routes/delivery.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { AttemptDrawer } from './attempt-detail.js';
import { AttemptRows } from './attempt-rows.js';

const route = getRouteApi('/signed-in/o/$organization/p/$project/delivery-history');

export function DeliveryHistoryPage() {
  const { organization, project } = useCurrentProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = searchChange<AttemptSearch>(navigate);
  const { data, error } = useQuery(attempts(project.id, search, false));
  const { data: known } = useQuery(channels(project.id));
  const filter = (change: Partial<AttemptSearch>) => set({ ...change, page: undefined });
  const isFiltered = Object.values<unknown>({ ...search, attempt: undefined, page: undefined }).some(
    (value) => value !== undefined,
  );
  return (
    <Stack gap="lg">
      <PageHead
        title="Delivery history"
        about="What was sent by each channel, what the receiver answered, and what comes next."
      />
      <Group gap="sm" align="flex-end">
        <Choice
          label="Status"
          options={['pending', 'sent', 'failed'] as const}
          value={search.status}
          onChange={(status) => filter({ status })}
        />
        <Choice
          label="Channel"
          options={(known ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={search.channel}
          onChange={(channel) => filter({ channel })}
        />
        <Choice label="Retries" options={RETRY_STATES} value={search.retry} onChange={(retry) => filter({ retry })} />
        <Choice
          label="Kind"
          options={
            [
              { value: 'rule_match', label: 'Of a rule' },
              { value: 'test', label: 'Test' },
            ] as const
          }
          value={search.kind}
          onChange={(kind) => filter({ kind })}
        />
      </Group>
      <Paged
        asked={{ data, error }}
        page={search.page}
        onPage={(page) => set({ page })}
        empty={
          <Empty
            title={isFiltered ? 'No attempt fits' : 'Nothing was sent yet'}
            about="Each notification by a channel is an attempt here, with its tries and what the receiver answered."
          >
            {!isFiltered && (
              <LinkButton
                variant="default"
                to="/o/$organization/p/$project/channels"
                params={{ organization: organization.slug, project: project.slug }}
              >
                To the channels
              </LinkButton>
            )}
          </Empty>
        }
      >
        {(items) => <AttemptRows label="Attempts" attempts={items} onShow={(attempt) => set({ attempt })} />}
      </Paged>
      <AttemptDrawer id={search.attempt} onShow={(attempt) => set({ attempt })} />
    </Stack>
  );
}
