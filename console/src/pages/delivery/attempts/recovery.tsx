import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { attemptsKey, readiness } from '../../../api/delivery.js';
import { MANAGERS, OPERATORS, useRefusal } from '../../../api/roles.js';
import { Act } from '../../../parts/act.js';
import { Failure } from '../../../parts/failures.js';
import { useDialogKeys } from '../../../parts/use-keys.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { reasonOf } from './tally.js';

type RecoveryAction = Schemas['RecoveryAction'];

const ACTS: readonly { readonly action: RecoveryAction; readonly verb: string; readonly about: string }[] = [
  { action: 'retry_now', verb: 'Retry now', about: 'Makes the scheduled retry at once.' },
  { action: 'replay', verb: 'Replay', about: 'Makes a new attempt of a failed one, once. Its key is r.' },
  { action: 'dlq_drain', verb: 'Drain', about: 'Takes it out of the dead letters and sends it, once.' },
];

interface Props {
  readonly attempt: Schemas['AttemptDetailResponse'];
  /** Shows the attempt that an action has created. */
  readonly onShow: (id: string) => void;
}

/** Shows which actions on an attempt are possible, or why not. */
export function Recovery({ attempt, onShow }: Props) {
  const { id: attemptId } = attempt;
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  const { data, error } = useQuery(readiness(project.id, attempt));
  const replayRefusal = useRefusal(project.id, OPERATORS);
  const drainRefusal = useRefusal(project.id, MANAGERS);
  const acting = useMutation({
    mutationFn: (action: RecoveryAction) => recover(action, project.id, attemptId),
    onSettled: () => queries.invalidateQueries({ queryKey: attemptsKey(project.id) }),
  });
  const { data: done } = acting;
  useDialogKeys({
    r: () => {
      if (data?.replay.allowed === true && replayRefusal === undefined && !acting.isPending) acting.mutate('replay');
    },
  });
  if (error !== null) return <Failure error={error} title="The actions could not be read" />;
  if (data === undefined) return <Skeleton height={120} />;
  const decisions = { replay: data.replay, retry_now: data.retryNow, dlq_drain: data.drain };
  const hasFailed = Object.values(decisions).some(({ reason_code }) => reason_code !== 'not_failed');
  if (!hasFailed && acting.isIdle) return null;
  return (
    <Stack gap="sm" component="section" aria-label="Recovery">
      {ACTS.map(({ action, verb, about }) => {
        const { allowed } = decisions[action];
        const reason = reasonOf(decisions[action]);
        const refusal = action === 'dlq_drain' ? drainRefusal : replayRefusal;
        return (
          <Group key={action} justify="space-between" wrap="nowrap" align="flex-start">
            <div style={{ minWidth: 0 }}>
              <Text size="sm" fw={500}>
                {about}
              </Text>
              <Text size="xs" c="dimmed">
                {allowed ? 'It is possible.' : reason}
              </Text>
            </div>
            <Act
              size="xs"
              variant={allowed ? 'filled' : 'default'}
              style={{ flexShrink: 0 }}
              refusal={refusal ?? (allowed ? undefined : reason)}
              loading={acting.isPending && acting.variables === action}
              onAct={() => acting.mutate(action)}
            >
              {verb}
            </Act>
          </Group>
        );
      })}
      <Failure error={acting.error} title="It was not done" />
      {done !== undefined && (
        <Alert variant="light" color={done.isSent ? 'sea' : 'orange'} role="status">
          <Group justify="space-between">
            <Text size="sm">{done.sentence}</Text>
            {done.createdId !== null && (
              <Button size="xs" variant="default" onClick={() => onShow(done.createdId ?? attemptId)}>
                Show the new attempt
              </Button>
            )}
          </Group>
        </Alert>
      )}
    </Stack>
  );
}

interface Recovered {
  readonly isSent: boolean;
  readonly sentence: string;
  /** The id of the new attempt, if the action created one. */
  readonly createdId: string | null;
}

async function recover(action: RecoveryAction, project_id: string, attempt_id: string): Promise<Recovered> {
  const which = { path: { attempt_id }, query: { project_id } };
  switch (action) {
    case 'replay': {
      const { replay_attempt } = await api.replayDeliveryAttempt(which);
      return outcome(replay_attempt.status, replay_attempt.id);
    }
    case 'dlq_drain': {
      const { delivery_status, created_attempt_id } = await api.drainDeliveryAttempt(which);
      return outcome(delivery_status, created_attempt_id);
    }
    case 'retry_now': {
      const { executed, attempt, readiness: decided } = await api.retryDeliveryAttempt(which);
      if (!executed || attempt === null) return { isSent: false, sentence: reasonOf(decided), createdId: null };
      return outcome(attempt.status, null);
    }
  }
}

function outcome(status: Schemas['DeliveryAttemptStatus'], createdId: string | null): Recovered {
  const sentence = { sent: 'It arrived.', pending: 'It is on its way.', failed: 'It was sent, and failed again.' }[
    status
  ];
  return { isSent: status !== 'failed', sentence, createdId };
}
