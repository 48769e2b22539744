import type { RefusalReason } from '../../quotas/index.js';
import type { NormalizedEvent } from '../normalized-event.js';
import type { Sender, WriteRequest } from '../writing/write-request.js';

/** What a limit that ends inside a batch is called in the queue. */
export type Ending = '' | 'month' | 'day';

export function reasonOfEnding(ending: string): RefusalReason | null {
  if (ending === 'month') return 'limit_exceeded';
  return ending === 'day' ? 'daily_limit_exceeded' : null;
}

/** A request as it lies in the queue. */
interface QueuedRequest {
  readonly sender: Sender;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  readonly events: readonly (Omit<NormalizedEvent, 'timestamp'> & { readonly timestamp: string })[];
  readonly idempotency: { readonly key: string; readonly hash: string; readonly answer: object } | null;
}

export function encodeRequest({ sender, events, idempotency }: WriteRequest, acceptedAt: Date): string {
  const { organizationId, projectId, sourceId, apiKeyId } = sender;
  return JSON.stringify({
    sender: { organizationId, projectId, sourceId, apiKeyId },
    acceptedAt: acceptedAt.getTime(),
    events,
    idempotency: idempotency && { ...idempotency, hash: idempotency.hash.toString('base64') },
  });
}

/** The request to write: the events that were admitted, at the time it was accepted. */
export function decodeRequest(text: string, admitted: number, ending: string): WriteRequest & { acceptedAt: Date } {
  const { sender, acceptedAt, events, idempotency } = JSON.parse(text) as QueuedRequest;
  const why = reasonOfEnding(ending);
  return {
    sender,
    events: events.slice(0, admitted).map((event) => ({ ...event, timestamp: new Date(event.timestamp) })),
    idempotency: idempotency && {
      ...idempotency,
      hash: Buffer.from(idempotency.hash, 'base64'),
      ...(why !== null && { cut: { admitted, why } }),
    },
    acceptedAt: new Date(acceptedAt),
  };
}
