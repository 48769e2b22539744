import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { retryAudits } from '../../api/delivery.js';
import { Choice } from '../../parts/choice.js';
import { LinkAnchor } from '../../parts/links.js';
import { Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Paged } from '../../parts/paged.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { StateBadge } from '../../parts/state-badge.js';
import { searchChange } from '../../parts/use-search-change.js';
import { inWords } from '../../parts/words.js';
import type { RetrySearch } from '../../routes/delivery.js';
import { useCurrentProject } from '../../shell/current-project.js';

const route = getRouteApi('/signed-in/o/$organization/p/$project/retries');

export function RetriesPage() {
  const { organization, project } = useCurrentProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = searchChange<RetrySearch>(navigate);
  const { data, error } = useQuery(retryAudits(project.id, search));
  return (
    <Stack gap="lg">
      <PageHead
        title="Retries"
        guide="deliveries#sending-and-retrying"
        about="Every retry of an attempt: when it was made, by whom, and its outcome."
      />
      <Group gap="sm" align="flex-end">
        <Choice
          label="Outcome"
          options={['claimed', 'dispatched', 'failed', 'exhausted', 'skipped'] as const}
          value={search.status}
          onChange={(status) => set({ status, page: undefined })}
        />
        {search.attempt !== undefined && (
          <Button variant="light" onClick={() => set({ attempt: undefined, page: undefined })}>
            Of one attempt: show all
          </Button>
        )}
      </Group>
      <Paged
        query={{ data, error }}
        page={search.page}
        onPage={(page) => set({ page })}
        empty={
          <Empty
            title={
              search.status === undefined && search.attempt === undefined ? 'Nothing was retried yet' : 'No retry fits'
            }
            about="A notification that has failed is sent again by the retry policy of its endpoint. Each retry is a row here, the first send is not."
          />
        }
      >
        {(items) => (
          <Rows label="Retries" columns={['Began', 'Retry', 'Outcome', 'Answer', 'By', 'Attempt']} minWidth={820}>
            {items.map((audit) => (
              <Table.Tr key={audit.id}>
                <Cell column="Began">
                  <Moment at={audit.started_at} />
                </Cell>
                <Cell column="Retry" className="numbers">
                  {audit.retry_number}
                </Cell>
                <Cell column="Outcome">
                  <StateBadge state={audit.status} />
                </Cell>
                <Cell column="Answer">
                  <Text size="sm">{audit.response_code ?? '–'}</Text>
                  {audit.reason !== null && (
                    <Text size="xs" c="dimmed" lineClamp={2}>
                      {inWords(audit.reason)}
                    </Text>
                  )}
                </Cell>
                <Cell column="By">
                  <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                    {audit.worker_id.startsWith('user:') ? 'Somebody, by hand' : audit.worker_id}
                  </Text>
                </Cell>
                <Cell column="Attempt">
                  <LinkAnchor
                    to="/o/$organization/p/$project/attempts"
                    params={{ organization: organization.slug, project: project.slug }}
                    search={{ attempt: audit.delivery_id, range: 'all' }}
                    size="sm"
                  >
                    Show it
                  </LinkAnchor>
                </Cell>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Paged>
    </Stack>
  );
}
