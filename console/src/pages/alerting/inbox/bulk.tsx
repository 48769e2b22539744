import { Alert, Button, Card, Group, Select, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { isRefusal, type Schemas } from '@operational-events/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { alertEventsKey, silencesKey } from '../../../api/alerting.js';
import { api } from '../../../api/client.js';
import { OPERATORS, useRefusal } from '../../../api/roles.js';
import { Act } from '../../../parts/act.js';
import { ActForm } from '../../../parts/act-form.js';
import { Dialog } from '../../../parts/dialog.js';
import { DurationSelect } from '../../../parts/durations.js';
import { Explained, Failure, sentenceOf } from '../../../parts/failures.js';
import { offerUndo } from '../../../parts/undo.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { useAssignees } from './alert-detail.js';
import { SnoozeMenu } from './snooze-menu.js';
import { type AlertAct, actOn, reopen } from './use-alert-acts.js';

type AlertEvent = Schemas['AlertEventResponse'];
type BulkAct = Exclude<AlertAct, { readonly kind: 'comment' | 'reopen' }>;

interface Result {
  readonly ok: boolean;
  /** Why it was not done. */
  readonly detail: string | null;
}

interface Props {
  readonly ids: readonly string[];
  /** The chosen alerts that are loaded. */
  readonly alerts: readonly AlertEvent[];
  readonly refusal: string | undefined;
  readonly onDone: () => void;
}

const MOST_AT_ONCE = 100;
const LENGTHS_S = [1_800, 3_600, 14_400, 28_800, 86_400, 604_800];

/** Acts on each chosen alert separately, like the service: some alerts may refuse the action. */
export function Bulk({ ids, alerts, refusal, onDone }: Props) {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  const silenceRefusal = useRefusal(project.id, OPERATORS);
  const assignees = useAssignees();
  const [isSilencing, setIsSilencing] = useState(false);
  const readAgain = () => queries.invalidateQueries({ queryKey: alertEventsKey(project.id) });
  const acting = useMutation({
    mutationFn: (act: BulkAct) => actOnAll(ids, act),
    onSuccess: (results, { kind }) => {
      if (kind === 'resolve') offerReopen(ids.filter((_, at) => results[at]?.ok === true));
      if (results.every(({ ok }) => ok)) onDone();
    },
    onSettled: readAgain,
  });
  const offerReopen = (resolved: readonly string[]) => {
    if (resolved.length === 0) return;
    const reopenAll = async () => {
      const results: Result[] = [];
      for (const id of resolved) {
        const before = alerts.find((alert) => alert.id === id)?.status;
        results.push(await resultOf(() => reopen(id, before)));
      }
      if (results.some(({ ok }) => !ok)) throw new Explained(refusedInWords(results));
    };
    offerUndo({
      projectId: project.id,
      said: `Resolved ${resolved.length} ${resolved.length === 1 ? 'alert' : 'alerts'}`,
      failed: 'Not all were reopened',
      undo: reopenAll,
      readAgain,
    });
  };
  const refused = acting.data?.filter(({ ok }) => !ok) ?? [];
  const common = { refusal, loading: acting.isPending };
  return (
    <Card withBorder padding="sm" role="group" aria-label="Chosen alerts">
      <Stack gap="xs">
        <Group gap="sm">
          <Text size="sm" fw={600}>
            {ids.length} chosen
          </Text>
          <Act size="xs" {...common} onAct={() => acting.mutate({ kind: 'acknowledge' })}>
            Acknowledge them
          </Act>
          <Act size="xs" variant="default" {...common} onAct={() => acting.mutate({ kind: 'resolve' })}>
            Resolve them
          </Act>
          <SnoozeMenu
            label="Snooze them"
            refusal={refusal}
            isActing={acting.isPending}
            onSnooze={(until) => acting.mutate({ kind: 'snooze', until })}
          />
          <Tooltip label={refusal} disabled={refusal === undefined} events={{ hover: true, focus: true, touch: true }}>
            <Select
              size="xs"
              aria-label="Assign them to"
              placeholder="Assign them to"
              data={assignees}
              searchable
              disabled={acting.isPending}
              readOnly={refusal !== undefined}
              data-disabled={refusal !== undefined || undefined}
              aria-disabled={refusal !== undefined}
              value={null}
              onChange={(userId) => {
                if (userId !== null) acting.mutate({ kind: 'assign', userId });
              }}
            />
          </Tooltip>
          <Act size="xs" variant="default" refusal={silenceRefusal} onAct={() => setIsSilencing(true)}>
            Silence them
          </Act>
          <Button size="xs" variant="subtle" onClick={onDone}>
            Choose none
          </Button>
        </Group>
        <Failure error={acting.error} />
        {refused.length > 0 && (
          <Alert color="orange" variant="light" p="xs">
            {refusedInWords(acting.data ?? [])}
          </Alert>
        )}
      </Stack>
      <Dialog title="Silence the chosen alerts" isOpen={isSilencing} onClose={() => setIsSilencing(false)}>
        <SilenceForm alerts={alerts} onDone={onDone} />
      </Dialog>
    </Card>
  );
}

/** Silences the rules and groups of the alerts. */
function SilenceForm({ alerts, onDone }: Pick<Props, 'alerts' | 'onDone'>) {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  const [seconds, setSeconds] = useState(3_600);
  const [reason, setReason] = useState('');
  const fingerprints = [...new Set(alerts.map(({ fingerprint }) => fingerprint))];
  return (
    <ActForm
      verb="Silence"
      act={async () => {
        const { id: silence_id } = await api.createAlertSilence({
          body: {
            project_id: project.id,
            filter: { all: [{ field: 'fingerprint', op: 'in', value: fingerprints }] },
            ends_at: new Date(Date.now() + seconds * 1000).toISOString(),
            reason: reason.trim() || null,
          },
        });
        const readAgain = () => queries.invalidateQueries({ queryKey: silencesKey(project.id) });
        offerUndo({
          projectId: project.id,
          said: `Silenced ${alerts.length} ${alerts.length === 1 ? 'alert' : 'alerts'}`,
          failed: 'The silence was not ended',
          undo: () => api.deleteAlertSilence({ path: { silence_id } }),
          readAgain,
        });
        await readAgain();
      }}
      onDone={onDone}
    >
      <Text size="sm">
        Nobody is notified of alerts of the same rules and groups. They are still opened and counted.
      </Text>
      <DurationSelect label="Duration" choices={LENGTHS_S} value={seconds} onChange={setSeconds} />
      <TextInput
        label="Reason"
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ActForm>
  );
}

/** Returns how many were refused, and why. */
function refusedInWords(results: readonly Result[]): string {
  const refused = results.filter(({ ok }) => !ok);
  const reasons = [...new Set(refused.map(({ detail }) => detail))].join('; ');
  return `${refused.length} of ${results.length} failed: ${reasons}.`;
}

async function actOnAll(ids: readonly string[], act: BulkAct): Promise<readonly Result[]> {
  const results: Result[] = [];
  if (act.kind === 'acknowledge' || act.kind === 'resolve') {
    // As many ids per request as the service accepts.
    for (let at = 0; at < ids.length; at += MOST_AT_ONCE) {
      const answer = await api.updateAlertEvents({ body: { ids: ids.slice(at, at + MOST_AT_ONCE), action: act.kind } });
      results.push(...answer.results);
    }
    return results;
  }
  for (const id of ids) results.push(await resultOf(() => actOn(id, act)));
  return results;
}

/** A decision of the service is the result of one alert. Any other error ends the action. */
async function resultOf(act: () => Promise<unknown>): Promise<Result> {
  try {
    await act();
    return { ok: true, detail: null };
  } catch (error) {
    if (isRefusal(error) && (error.status === 404 || error.status === 409))
      return { ok: false, detail: sentenceOf(error) };
    throw error;
  }
}
