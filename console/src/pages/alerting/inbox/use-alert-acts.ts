import type { Schemas } from '@operational-events/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { alertEvent, alertEventsKey } from '../../../api/alerting.js';
import { api } from '../../../api/client.js';

type AlertEvent = Schemas['AlertEventResponse'];

export type AlertAct =
  | { readonly kind: 'acknowledge' | 'resolve' | 'reopen' }
  | { readonly kind: 'snooze'; readonly until: string }
  | { readonly kind: 'assign'; readonly userId: string | null }
  | { readonly kind: 'comment'; readonly body: string };

export interface ActOn {
  readonly id: string;
  readonly act: AlertAct;
}

/** Returns the mutation for actions on one alert event. */
export function useAlertActs(projectId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, act }: ActOn) => actOn(id, act),
    onSuccess: async (changed, { id }) => {
      if (changed !== null) queries.setQueryData(alertEvent(projectId, id).queryKey, changed);
      await queries.invalidateQueries({ queryKey: alertEventsKey(projectId) });
    },
  });
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
