import { Button, Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { attemptsKey, channels, deadLetters } from '../../../api/delivery.js';
import { MANAGERS, OPERATORS, useRefusal } from '../../../api/roles.js';
import { Act } from '../../../parts/act.js';
import { Choice } from '../../../parts/choice.js';
import { Dialog } from '../../../parts/dialog.js';
import { Failure } from '../../../parts/failures.js';
import { PageHead } from '../../../parts/page-head.js';
import { Paged } from '../../../parts/paged.js';
import { Empty } from '../../../parts/rows.js';
import { searchChange } from '../../../parts/use-search-change.js';
import type { DeadLetterSearch } from '../../../routes/delivery.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { AttemptDrawer } from './attempt-detail.js';
import { AttemptRows } from './attempt-rows.js';
import { ReplaySince } from './replay-since.js';
import { counted, NO_TALLY, outcomeOf, Tallied } from './tally.js';

const route = getRouteApi('/signed-in/o/$organization/p/$project/dead-letters');

export function DeadLettersPage() {
  const { project } = useCurrentProject();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = searchChange<DeadLetterSearch>(navigate);
  const { data, error } = useQuery(deadLetters(project.id, search));
  const { data: known } = useQuery(channels(project.id));
  const refusal = useRefusal(project.id, MANAGERS);
  const replayRefusal = useRefusal(project.id, OPERATORS);
  const [isDraining, setIsDraining] = useState(false);
  const [isReplaying, setIsReplaying] = useState(false);
  const show = (attempt: string | undefined) => set({ attempt });
  return (
    <Stack gap="lg">
      <PageHead
        title="Dead letters"
        guide="deliveries#in-the-console"
        about="Notifications that have failed with all their retries. Each can be sent again."
      >
        {data !== undefined && data.items.length > 0 && (
          <>
            <Act refusal={refusal} variant="default" onAct={() => setIsDraining(true)}>
              Drain these
            </Act>
            <Act refusal={replayRefusal} onAct={() => setIsReplaying(true)}>
              Replay all since…
            </Act>
          </>
        )}
      </PageHead>
      {known !== undefined && known.length > 1 && (
        <Group>
          <Choice
            label="Endpoint"
            options={known.map(({ id, name }) => ({ value: id, label: name }))}
            value={search.endpoint}
            onChange={(endpoint) => set({ endpoint, page: undefined })}
          />
        </Group>
      )}
      <Paged
        query={{ data, error }}
        page={search.page}
        onPage={(page) => set({ page })}
        empty={
          <Empty
            title="No dead letters"
            about="A notification that has failed with all its retries is listed here, with the answer of the receiver."
          />
        }
      >
        {(items) => (
          <AttemptRows
            label="Dead letters"
            attempts={items.map((it) => ({ of: 'channel', it }))}
            onShow={({ it }) => show(it.id)}
            act={({ it }) => (
              <Button size="xs" variant="subtle" onClick={() => show(it.id)}>
                Replay or drain
              </Button>
            )}
          />
        )}
      </Paged>
      <Dialog title="Drain these" isOpen={isDraining} onClose={() => setIsDraining(false)}>
        <Drain attempts={data?.items ?? []} onClose={() => setIsDraining(false)} />
      </Dialog>
      <Dialog title="Replay all since…" isOpen={isReplaying} onClose={() => setIsReplaying(false)}>
        <ReplaySince areDead endpoint={search.endpoint} onClose={() => setIsReplaying(false)} />
      </Dialog>
      <AttemptDrawer attempt={search.attempt} onShow={show} />
    </Stack>
  );
}

interface DrainProps {
  readonly attempts: readonly Schemas['AttemptResponse'][];
  readonly onClose: () => void;
}

/** Drains one attempt after the other. Each is checked first, and an attempt that may not be drained is left. */
function Drain({ attempts: shown, onClose }: DrainProps) {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  const [ids] = useState(() => shown.map(({ id }) => id));
  const [tally, setTally] = useState(NO_TALLY);
  const draining = useMutation({
    mutationFn: async () => {
      for (const attempt_id of ids) {
        const which = { path: { attempt_id }, query: { project_id: project.id } };
        const outcome = await outcomeOf(
          () => api.getDrainReadiness(which),
          async () => (await api.drainDeliveryAttempt(which)).delivery_status,
        );
        setTally((before) => counted(before, outcome));
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: attemptsKey(project.id) }),
  });
  return (
    <Stack>
      <Text>
        {ids.length === 1
          ? 'One dead letter is sent again, as a new attempt with its own retries.'
          : `${ids.length} dead letters are sent again, one after the other. Each is a new attempt with its own retries.`}
      </Text>
      <Failure error={draining.error} />
      {!draining.isIdle && <Tallied tally={tally} total={ids.length} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button loading={draining.isPending} disabled={draining.isSuccess} onClick={() => draining.mutate()}>
          Drain them
        </Button>
      </Group>
    </Stack>
  );
}
