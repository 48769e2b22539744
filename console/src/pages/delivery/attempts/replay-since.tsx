import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { attemptsKey } from '../../../api/delivery.js';
import { Failure } from '../../../parts/failures.js';
import { whole } from '../../../parts/numbers.js';
import { useStop } from '../../../parts/use-stop.js';
import { isoOf, placeOf, useClock, wallOf } from '../../../parts/zone.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { counted, NO_TALLY, outcomeOf, Tallied, type Tally } from './tally.js';

/** The most attempts that one run replays, and the most that it looks at. */
const MAX_REPLAYS = 1_000;
const MAX_READ = 10_000;
const PAGE = 100;
const DAY_MS = 86_400_000;

interface Props {
  /** Whether only dead letters are replayed, and not everything that has failed. */
  readonly areDead: boolean;
  /** Undefined: all endpoints. */
  readonly endpoint: string | undefined;
  /** The alert whose notifications are sent again. Only alert deliveries belong to one. Undefined: all. */
  readonly alert?: string | undefined;
  readonly onClose: () => void;
}

interface Progress {
  /** The number of attempts that were looked at. */
  readonly read: number;
  /** The attempts of channels that are replayed. Null before they are listed. */
  readonly listed: Listed | null;
  readonly tally: Tally;
  /** The answer for alert deliveries. Null before it is there. */
  readonly ofAlerts: Schemas['RetryFailedResponse'] | null;
}

const NO_PROGRESS: Progress = { read: 0, listed: null, tally: NO_TALLY, ofAlerts: null };

/** Sends again what has failed and was made since a time: attempts of channels one by one, alert deliveries at once. */
export function ReplaySince({ areDead, endpoint, alert, onClose }: Props) {
  const { project } = useCurrentProject();
  const { zone } = useClock();
  const queries = useQueryClient();
  const { begin, stop } = useStop();
  const [since, setSince] = useState(() => wallOf(Date.now() - DAY_MS, zone));
  const [progress, setProgress] = useState(NO_PROGRESS);
  // The next run goes on before the attempts that the last one has looked at.
  const [before, setBefore] = useState<string>();
  const replaying = useMutation({
    mutationFn: async (from_ts: string) => {
      const signal = begin();
      setProgress(NO_PROGRESS);
      const what = { project_id: project.id, from_ts };
      if (alert === undefined) {
        const query = { ...what, to_ts: before, channel_id: endpoint };
        const onRead = (read: number) => setProgress((last) => ({ ...last, read }));
        const listed = await replayable(query, areDead, signal, onRead).catch((error: unknown) => {
          if (signal.aborted) return null;
          throw error;
        });
        if (listed === null) return 'stopped';
        setProgress((last) => ({ ...last, listed }));
        for (const attempt_id of listed.ids) {
          if (signal.aborted) return 'stopped';
          const outcome = await replayed(project.id, attempt_id);
          setProgress((last) => ({ ...last, tally: counted(last.tally, outcome) }));
        }
        // A run that was stopped is made again from where it began.
        if (!signal.aborted) setBefore(listed.before);
      }
      if (areDead) return 'done';
      if (signal.aborted) return 'stopped';
      const body = { ...what, destination_id: endpoint, alert_event_id: alert };
      const ofAlerts = await api.retryFailedAlertDeliveries({ body });
      setProgress((last) => ({ ...last, ofAlerts }));
      return 'done';
    },
    onSettled: () => queries.invalidateQueries({ queryKey: attemptsKey(project.id) }),
  });
  // A browser may give a year of five digits, which is no time.
  const from = Number.isNaN(Date.parse(`${since}Z`)) ? undefined : isoOf(since, zone);
  const isFuture = from !== undefined && Date.parse(from) > Date.now();
  const { listed, tally, ofAlerts } = progress;
  const { isPending: isRunning, data: end } = replaying;
  return (
    <Stack>
      <Text>
        {alert !== undefined
          ? 'Every failed notification of the chosen alert'
          : areDead
            ? 'Every dead letter'
            : 'Every failed attempt'}
        {endpoint !== undefined && ' of the chosen endpoint'} that was made since this time is sent again.
      </Text>
      {alert === undefined && (
        <Text size="sm">
          {areDead ? 'Dead letters' : 'Attempts of webhooks and e-mail'} become new attempts. One run takes the newest{' '}
          {whole(MAX_REPLAYS)} and sends the oldest of them first. It leaves out what was replayed before or waits for a
          retry.
        </Text>
      )}
      {!areDead && (
        <Text size="sm">
          Notifications of alert webhooks and Slack are sent again with all their retries, up to 1,000 in one run. New
          answers replace the old ones.
        </Text>
      )}
      <TextInput
        label="Made since"
        description={`Times of ${placeOf(zone)}`}
        type="datetime-local"
        max={wallOf(Date.now(), zone)}
        required
        withAsterisk={false}
        disabled={isRunning}
        error={from === undefined ? 'It is not a time' : isFuture ? 'It lies in the future' : undefined}
        value={since}
        onChange={(event) => {
          setSince(event.currentTarget.value);
          setBefore(undefined);
        }}
      />
      <Failure error={replaying.error} />
      {listed !== null && <Tallied tally={tally} total={listed.ids.length} isStopped={end === 'stopped'} />}
      {listed === null && end === 'stopped' && (
        <Text fw={600} role="status">
          Stopped
        </Text>
      )}
      {listed === null && isRunning && alert === undefined && (
        <Text c="dimmed" role="status">
          Looking for them…{progress.read > 0 && ` ${whole(progress.read)} looked at`}
        </Text>
      )}
      {listed !== null && listed.left > 0 && (
        <Text size="sm" className="numbers">
          {whole(listed.left)} older ones were left: a run takes up to {whole(MAX_REPLAYS)} of the newest{' '}
          {whole(MAX_READ)}. Press again to go on with them.
        </Text>
      )}
      {ofAlerts !== null && (
        <Text fw={600} role="status" className="numbers">
          {whole(ofAlerts.retried)} of alert endpoints retried, {whole(ofAlerts.remaining)} remain failed
        </Text>
      )}
      {ofAlerts !== null && ofAlerts.remaining > 0 && (
        <Text size="sm">Press again to go on. Those of endpoints that are switched off or deleted stay failed.</Text>
      )}
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
        <Button
          loading={isRunning}
          disabled={from === undefined || isFuture}
          onClick={() => from !== undefined && replaying.mutate(from)}
        >
          Replay them
        </Button>
      </Group>
    </Stack>
  );
}

interface Failed {
  readonly project_id: string;
  readonly from_ts: string;
  readonly to_ts: string | undefined;
  readonly channel_id: string | undefined;
}

interface Listed {
  /** The oldest first. */
  readonly ids: readonly string[];
  /** The number of older attempts that are not among them. */
  readonly left: number;
  /** The time before which these older attempts were made. Undefined: there are none. */
  readonly before: string | undefined;
}

/** Lists the newest failed attempts of channels that were neither replayed nor made by a replay. */
async function replayable(
  what: Failed,
  areDead: boolean,
  signal: AbortSignal,
  onRead: (read: number) => void,
): Promise<Listed> {
  const query = {
    ...what,
    // Tests are never sent again.
    kind: 'rule_match' as const,
    limit: PAGE,
    ...(areDead ? { dlq: true } : { status: 'failed' as const, retryable: false }),
  };
  // New attempts move others to the next page, where they appear once more.
  const ids = new Set<string>();
  let [read, total] = [0, 1];
  let oldest: string | undefined;
  while (read < total && read < MAX_READ && ids.size < MAX_REPLAYS) {
    const page = await api.listDeliveryAttempts({ query: { ...query, offset: read } }, { signal });
    for (const { id, lifecycle, created_at } of page.items) {
      if (ids.size === MAX_REPLAYS) break;
      read += 1;
      oldest = created_at;
      if (!lifecycle.includes('replay') && !lifecycle.includes('replay_created')) ids.add(id);
    }
    ({ total } = page);
    onRead(read);
    if (page.items.length === 0) break;
  }
  const left = Math.max(0, total - read);
  // Others may have been made in the same millisecond.
  const before = left === 0 || oldest === undefined ? undefined : new Date(Date.parse(oldest) + 1).toISOString();
  return { ids: [...ids].reverse(), left, before };
}

function replayed(project_id: string, attempt_id: string) {
  const which = { path: { attempt_id }, query: { project_id } };
  return outcomeOf(
    () => api.getReplayReadiness(which),
    async () => (await api.replayDeliveryAttempt(which)).replay_attempt.status,
  );
}
