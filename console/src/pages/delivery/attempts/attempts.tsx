import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type AnyAttempt, attemptPages, channels, destinations } from '../../../api/delivery.js';
import { OPERATORS, useRefusal } from '../../../api/roles.js';
import { Act } from '../../../parts/act.js';
import { Choice } from '../../../parts/choice.js';
import { Dialog } from '../../../parts/dialog.js';
import { LinkButton } from '../../../parts/links.js';
import { Listed, More } from '../../../parts/listed.js';
import { whole } from '../../../parts/numbers.js';
import { PageHead } from '../../../parts/page-head.js';
import { Empty } from '../../../parts/rows.js';
import { searchChange } from '../../../parts/use-search-change.js';
import { ATTEMPT_STATES, type AttemptFilters, type AttemptSearch } from '../../../routes/delivery.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { useTimeRange } from '../../../shell/time-range.js';
import { endpointsOf } from '../endpoints/endpoint.js';
import { AttemptDrawer } from './attempt-detail.js';
import { AttemptRows } from './attempt-rows.js';
import { ReplaySince } from './replay-since.js';

const route = getRouteApi('/signed-in/o/$organization/p/$project/attempts');

export function AttemptsPage() {
  const { organization, project } = useCurrentProject();
  const { window } = useTimeRange();
  const { attempt, delivery, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const set = searchChange<AttemptSearch>(navigate);
  const pages = useInfiniteQuery(attemptPages(project.id, window, filters));
  const { data: ofAlerts } = useQuery(destinations(project.id));
  const { data: ofChannels } = useQuery(channels(project.id));
  const mayNot = useRefusal(project.id, OPERATORS);
  const [isReplaying, setIsReplaying] = useState(false);
  const { state, kind, endpoint, alert } = filters;
  const isFiltered = [state, kind, endpoint, alert].some((value) => value !== undefined);
  const rows = rowsOf(pages.data?.pages);
  const show = (row: AnyAttempt | undefined) =>
    set({
      attempt: row?.of === 'channel' ? row.it.id : undefined,
      delivery: row?.of === 'destination' ? row.it.id : undefined,
    });
  return (
    <Stack gap="lg">
      <PageHead
        title="Attempts"
        guide="deliveries"
        about="What was sent to each endpoint, what it answered, and what comes next."
      >
        <Act refusal={mayNot ?? replayRefusalOf(filters)} variant="default" onAct={() => setIsReplaying(true)}>
          Replay failed since…
        </Act>
      </PageHead>
      <Group gap="sm" align="flex-end">
        <Choice label="Status" options={ATTEMPT_STATES} value={state} onChange={(next) => set({ state: next })} />
        <Choice
          label="Endpoint"
          options={(endpointsOf(ofAlerts, ofChannels) ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={endpoint}
          onChange={(next) => set({ endpoint: next })}
        />
        <Choice
          label="Kind"
          options={
            [
              { value: 'rule_match', label: 'Of a rule' },
              { value: 'test', label: 'Test' },
            ] as const
          }
          value={kind}
          onChange={(next) => set({ kind: next })}
        />
        {alert !== undefined && (
          <Button variant="light" onClick={() => set({ alert: undefined })}>
            Of one alert: show all
          </Button>
        )}
      </Group>
      <Listed
        query={{ data: rows, error: pages.error }}
        empty={
          <Empty
            title={isFiltered ? 'No attempt fits' : 'Nothing was sent in this time'}
            about="Each notification of an endpoint is an attempt here, with its retries and what the receiver answered."
          >
            {!isFiltered && (
              <LinkButton
                variant="default"
                to="/o/$organization/p/$project/endpoints"
                params={{ organization: organization.slug, project: project.slug }}
              >
                To the endpoints
              </LinkButton>
            )}
          </Empty>
        }
      >
        {(items) => (
          <Stack>
            <AttemptRows label="Attempts" attempts={items} onShow={show} />
            <Text size="sm" c="dimmed" className="numbers">
              {whole(items.length)} of {whole(pages.data?.pages.at(-1)?.total ?? items.length)}, newest first
            </Text>
            <More query={pages} />
          </Stack>
        )}
      </Listed>
      <Dialog title="Replay failed since…" isOpen={isReplaying} onClose={() => setIsReplaying(false)}>
        <ReplaySince areDead={false} endpoint={endpoint} alert={alert} onClose={() => setIsReplaying(false)} />
      </Dialog>
      <AttemptDrawer attempt={attempt} delivery={delivery} onShow={(id) => set({ attempt: id, delivery: undefined })} />
    </Stack>
  );
}

/** Returns why the attempts of these filters are not replayed together. */
function replayRefusalOf({ state, kind }: AttemptFilters): string | undefined {
  if (kind === 'test') return 'Tests are not sent again: choose another kind';
  if (state === undefined || state === 'failed') return undefined;
  return state === 'dlq'
    ? 'Dead letters are replayed on their own page'
    : 'Only failed attempts are replayed: choose that status, or all';
}

/** Rows that arrive meanwhile move others to the next page, where they appear once more. */
function rowsOf(pages: readonly { readonly rows: readonly AnyAttempt[] }[] | undefined): AnyAttempt[] | undefined {
  if (pages === undefined) return undefined;
  return [...new Map(pages.flatMap(({ rows }) => rows).map((row) => [row.it.id, row])).values()];
}
