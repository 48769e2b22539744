import type { AnyAttempt } from '../../../api/delivery.js';
import type { AttemptState } from '../../../routes/delivery.js';

/** Returns the state of an attempt in the words of the filter. */
export function stateOf({ of, it }: AnyAttempt): AttemptState {
  if (of === 'destination') return it.status;
  if (it.is_dlq) return 'dlq';
  return it.retry_state === 'scheduled_retry' || it.retry_state === 'retryable' ? 'retrying' : it.status;
}

/** Returns the type of the endpoint as the list of endpoints names it. */
export function endpointTypeOf({ of, it }: AnyAttempt): string {
  if (of === 'destination') return it.destination_type === 'slack' ? 'Slack' : 'Alert webhook';
  return it.channel_type === 'email' ? 'E-mail' : it.channel_type === 'webhook' ? 'Webhook' : '';
}

export function endpointNameOf({ of, it }: AnyAttempt): string {
  return of === 'destination' ? it.destination_name : (it.channel_name ?? 'A deleted endpoint');
}
