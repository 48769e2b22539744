import type { Schemas } from '@operational-events/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { alertEvent, alertEventsKey } from '../../../api/alerting.js';
import { api } from '../../../api/client.js';
import { offerUndo } from '../../../parts/undo.js';

type AlertEvent = Schemas['AlertEventResponse'];

export type AlertAct =
  | { readonly kind: 'acknowledge' | 'resolve' | 'reopen' }
  | { readonly kind: 'snooze'; readonly until: string }
  | { readonly kind: 'assign'; readonly userId: string | null }
  | { readonly kind: 'comment'; readonly body: string };

export interface ActOn {
  readonly alert: AlertEvent;
  readonly act: AlertAct;
}

/** Returns the mutation for actions on one alert event. */
export function useAlertActs(projectId: string) {
  const queries = useQueryClient();
  const readAgain = () => queries.invalidateQueries({ queryKey: alertEventsKey(projectId) });
  return useMutation({
    mutationFn: ({ alert, act }: ActOn) => actOn(alert.id, act),
    onSuccess: async (changed, { alert, act }) => {
      if (changed !== null) queries.setQueryData(alertEvent(projectId, alert.id).queryKey, changed);
      if (act.kind === 'resolve')
        offerUndo({
          projectId,
          said: `Resolved “${alert.message}”`,
          failed: 'It was not reopened',
          undo: () => reopen(alert.id, alert.status),
          readAgain,
        });
      await readAgain();
    },
  });
}

/** Reopens a resolved alert event. One that was acknowledged before is acknowledged again. */
export async function reopen(id: string, before: AlertEvent['status'] | undefined): Promise<void> {
  await actOn(id, { kind: 'reopen' });
  if (before === 'acknowledged') await actOn(id, { kind: 'acknowledge' });
}

/** @returns the changed alert event, or null when it has not changed */
export async function actOn(alert_event_id: string, act: AlertAct): Promise<AlertEvent | null> {
  const path = { alert_event_id };
  switch (act.kind) {
    case 'acknowledge':
      return api.acknowledgeAlertEvent({ path, body: {} });
    case 'resolve':
      return api.resolveAlertEvent({ path, body: {} });
    case 'reopen':
      return api.reopenAlertEvent({ path, body: {} });
    case 'snooze':
      return api.snoozeAlertEvent({ path, body: { until: act.until } });
    case 'assign':
      return api.assignAlertEvent({ path, body: { user_id: act.userId } });
    case 'comment':
      await api.createAlertEventComment({ path, body: { body: act.body } });
      return null;
  }
}
