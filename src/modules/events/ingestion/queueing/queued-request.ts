import type { RefusalReason } from '../../../entitlement/quotas/index.js';
import type { NormalizedEvent } from '../normalized-event.js';
import { writtenSize } from '../written-size.js';
import type { Sender, WriteRequest } from '../writing/write-request.js';

/** What a limit that ends inside a batch is called in the queue. */
export type Ending = '' | 'month' | 'day';

export function reasonOfEnding(ending: string): RefusalReason | null {
  if (ending === 'month') return 'limit_exceeded';
  return ending === 'day' ? 'daily_limit_exceeded' : null;
}

/** An event as it lies in the queue: its properties are what every version of the service finds there. */
type QueuedEvent = Omit<NormalizedEvent, 'timestamp' | 'json' | 'bytes'> & {
  readonly timestamp: string;
  readonly properties: Readonly<Record<string, unknown>>;
};

/** A request as it lies in the queue. */
interface QueuedRequest {
  readonly sender: Sender;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
  readonly events: readonly QueuedEvent[];
  readonly idempotency: { readonly key: string; readonly hash: string; readonly answer: object } | null;
}

export function encodeRequest({ sender, events, idempotency }: WriteRequest, acceptedAt: Date): string {
  const { organizationId, projectId, sourceId, apiKeyId } = sender;
  const head = JSON.stringify({
    sender: { organizationId, projectId, sourceId, apiKeyId },
    acceptedAt: acceptedAt.getTime(),
    idempotency: idempotency && { ...idempotency, hash: idempotency.hash.toString('base64') },
  });
  return `${head.slice(0, -1)},"events":[${events.map(encodeEvent).join(',')}]}`;
}

/** The request to write: the events that were admitted, at the time it was accepted. */
export function decodeRequest(text: string, admitted: number, ending: string): WriteRequest & { acceptedAt: Date } {
  const { sender, acceptedAt, events, idempotency } = JSON.parse(text) as QueuedRequest;
  const why = reasonOfEnding(ending);
  return {
    sender,
    events: events.slice(0, admitted).map(decodeEvent),
    idempotency: idempotency && {
      ...idempotency,
      hash: Buffer.from(idempotency.hash, 'base64'),
      ...(why !== null && { cut: { admitted, why } }),
    },
    acceptedAt: new Date(acceptedAt),
  };
}

function encodeEvent({ json, bytes: _, ...event }: NormalizedEvent): string {
  return `${JSON.stringify(event).slice(0, -1)},"properties":${json}}`;
}

function decodeEvent({ properties, timestamp, ...event }: QueuedEvent): NormalizedEvent {
  const json = JSON.stringify(properties);
  return { ...event, json, bytes: writtenSize(json), timestamp: new Date(timestamp) };
}
