import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { attemptsKey } from '../../../api/delivery.js';
import { Failure, sentenceOf } from '../../../parts/failures.js';
import { whole } from '../../../parts/numbers.js';
import { useStop } from '../../../parts/use-stop.js';
import { isoOf, placeOf, useClock, wallOf } from '../../../parts/zone.js';
import { useCurrentProject } from '../../../shell/current-project.js';

/** The most attempts that one run replays. */
const MAX_REPLAYS = 1_000;
const PAGE = 100;
const DAY_MS = 86_400_000;

interface Props {
  /** Whether only dead letters are replayed, and not everything that has failed. */
  readonly areDead: boolean;
  /** Undefined: all endpoints. */
  readonly endpoint: string | undefined;
  readonly onClose: () => void;
}

interface Progress {
  readonly total: number;
  readonly replayed: number;
  readonly failedAgain: number;
  /** The reasons of attempts that could not be replayed. */
  readonly refused: readonly string[];
  /** Failed alert deliveries that were begun again. */
  readonly retried: number;
}

const NO_PROGRESS: Progress = { total: 0, replayed: 0, failedAgain: 0, refused: [], retried: 0 };

/** Replays what has failed since a time, the oldest first, one after the other. */
export function ReplaySince({ areDead, endpoint, onClose }: Props) {
  const { project } = useCurrentProject();
  const { zone } = useClock();
  const queries = useQueryClient();
  const { begin, stop } = useStop();
  const [since, setSince] = useState(() => wallOf(Date.now() - DAY_MS, zone));
  const [progress, setProgress] = useState(NO_PROGRESS);
  const add = (change: (before: Progress) => Partial<Progress>) =>
    setProgress((before) => ({ ...before, ...change(before) }));
  const replaying = useMutation({
    mutationFn: async () => {
      const signal = begin();
      setProgress(NO_PROGRESS);
      const what = { project_id: project.id, from_ts: isoOf(since, zone), endpoint };
      const ids = await replayable(what, areDead, signal);
      add(() => ({ total: ids.length }));
      for (const attempt_id of ids) {
        if (signal.aborted) return 'stopped';
        const outcome = await replayed(project.id, attempt_id);
        add((before) => {
          if (outcome === 'failed') return { failedAgain: before.failedAgain + 1 };
          if (outcome === 'sent') return { replayed: before.replayed + 1 };
          return { refused: [...before.refused, outcome] };
        });
      }
      if (!areDead) await retryAlertDeliveries(what, signal, (retried) => add(() => ({ retried })));
      return signal.aborted ? 'stopped' : 'done';
    },
    onSettled: () => queries.invalidateQueries({ queryKey: attemptsKey(project.id) }),
  });
  const isFuture = since !== '' && isoOf(since, zone) > new Date().toISOString();
  const { total, replayed: sent, failedAgain, refused, retried } = progress;
  const isRunning = replaying.isPending;
  return (
    <Stack>
      <Text>
        {areDead ? 'Every dead letter' : 'Every failed attempt'} since this time
        {endpoint === undefined ? '' : ' of the chosen endpoint'} is sent again, the oldest first. An attempt that was
        replayed before, or that waits for a retry, is left out. One run replays up to {whole(MAX_REPLAYS)}.
      </Text>
      <TextInput
        label="Since"
        description={`Times of ${placeOf(zone)}`}
        type="datetime-local"
        required
        withAsterisk={false}
        disabled={isRunning}
        error={isFuture ? 'It lies in the future' : undefined}
        value={since}
        onChange={(event) => setSince(event.currentTarget.value)}
      />
      <Failure error={replaying.error} />
      {!replaying.isIdle && (
        <Text fw={600} role="status" className="numbers">
          {replaying.data === 'stopped' && 'Stopped: '}
          {whole(sent + failedAgain + refused.length)} of {whole(total)} done: {whole(sent)} sent, {whole(failedAgain)}{' '}
          failed again, {whole(refused.length)} refused
          {retried > 0 && `; ${whole(retried)} of alert endpoints begun again`}
        </Text>
      )}
      {[...new Set(refused)].map((reason) => (
        <Text key={reason} size="sm" c="dimmed">
          {reason}
        </Text>
      ))}
      <Group justify="flex-end">
        {isRunning ? (
          <Button variant="default" onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        )}
        <Button loading={isRunning} disabled={since === '' || isFuture} onClick={() => replaying.mutate()}>
          Replay them
        </Button>
      </Group>
    </Stack>
  );
}

interface Failed {
  readonly project_id: string;
  readonly from_ts: string;
  readonly endpoint: string | undefined;
}

/** Returns the ids of the newest failed attempts of channels that can be replayed, the oldest first. */
async function replayable({ endpoint, ...what }: Failed, areDead: boolean, signal: AbortSignal): Promise<string[]> {
  const query = {
    ...what,
    channel_id: endpoint,
    limit: PAGE,
    ...(areDead ? { dlq: true } : { status: 'failed' as const, retryable: false }),
  };
  const ids: string[] = [];
  for (let offset = 0, total = 1; offset < total && ids.length < MAX_REPLAYS; offset += PAGE) {
    const page = await api.listDeliveryAttempts({ query: { ...query, offset } }, { signal });
    ids.push(...page.items.filter(({ lifecycle }) => !isReplayed(lifecycle)).map(({ id }) => id));
    ({ total } = page);
  }
  return ids.slice(0, MAX_REPLAYS).reverse();
}

function isReplayed(lifecycle: Schemas['AttemptResponse']['lifecycle']): boolean {
  return lifecycle.includes('replay_created') || lifecycle.includes('replay_blocked');
}

/** @returns `sent`, `failed`, or why the attempt was not replayed */
async function replayed(project_id: string, attempt_id: string): Promise<string> {
  const which = { path: { attempt_id }, query: { project_id } };
  try {
    // The endpoint may have been switched off meanwhile, or somebody else may have replayed the attempt.
    const { allowed, reason } = await api.getReplayReadiness(which);
    if (!allowed) return reason;
    const { replay_attempt } = await api.replayDeliveryAttempt(which);
    return replay_attempt.status === 'failed' ? 'failed' : 'sent';
  } catch (error) {
    // The other attempts are replayed regardless.
    return sentenceOf(error);
  }
}

/**
 * Retries the alert deliveries that have failed when it starts, a thousand per request. Deliveries that fail again
 * meanwhile are not retried a second time.
 */
async function retryAlertDeliveries(
  { project_id, from_ts, endpoint }: Failed,
  signal: AbortSignal,
  onRetried: (count: number) => void,
): Promise<void> {
  const body = { project_id, from_ts, destination_id: endpoint };
  let [all, most] = [0, 1];
  while (all < most && !signal.aborted) {
    const { retried, remaining } = await api.retryFailedAlertDeliveries({ body });
    if (all === 0) most = retried + remaining;
    all += retried;
    onRetried(all);
    if (retried === 0) return;
  }
}
