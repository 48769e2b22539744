import type { OrganizationId, ProjectId } from '../../../access/index.js';
import type { IngestionRefusal, RefusalReason } from '../../../entitlement/quotas/index.js';
import { domainError } from '../../../../platform/http/domain-error.js';
import type { Traceparent } from '../../../../platform/telemetry/index.js';
import type { NormalizedEvent } from '../../fields/index.js';

/** The sender of events. */
export interface Sender {
  readonly organizationId: OrganizationId;
  readonly projectId: ProjectId;
  readonly sourceId: string | null;
  /** Null when a person or a webhook sent the events. */
  readonly apiKeyId: string | null;
  /**
   * True when the events came through a webhook of the source. Their refusals are recorded although they have no API
   * key.
   */
  readonly isHook?: boolean;
}

/** The events of one request. They are admitted in order, as far as the limits allow. */
export interface WriteRequest {
  readonly sender: Sender;
  readonly events: readonly NormalizedEvent[];
  /**
   * The SHA-256 of the unique keys, by event id. A project stores one event per unique key in 24 hours. No two events
   * of a request have the same key.
   */
  readonly uniqueKeys?: ReadonlyMap<string, Buffer> | undefined;
  /** Null without the header `Idempotency-Key`. */
  readonly idempotency: Idempotency | null;
  /** The trace of the request that sent the events, which alerts and deliveries for them continue. */
  readonly traceparent?: Traceparent | undefined;
  /** Set when the request was already answered. Then it is counted at that time, and no limit refuses it. */
  readonly acceptedAt?: Date;
  /** True when an earlier attempt may have written the request. Then its events are searched first. */
  readonly mayBeWritten?: boolean;
}

export interface Idempotency {
  readonly key: string;
  /** SHA-256 of the normalized request. */
  readonly hash: Buffer;
  /** The stored answer of the request, which a repeated request gets if everything is admitted. */
  readonly answer: object;
  /**
   * Duplicates that were left out of the request before it was queued, as in {@link StoredAnswer}. Undefined when there
   * are none.
   */
  readonly duplicates?: Readonly<Record<string, string>>;
  /** Set when fewer events were admitted than the answer contains. */
  readonly cut?: { readonly admitted: number; readonly why: RefusalReason };
}

/** The stored answer for repeated requests. */
export interface StoredAnswer {
  /** The id of the answered request. */
  readonly request: string;
  readonly answer: unknown;
  /** Set when only this many events were admitted. `why` gives the reason. */
  readonly admitted?: number;
  readonly why?: RefusalReason;
  /** The ids of the stored events, by the ids of events that had the same unique key and were not stored. */
  readonly duplicates?: Readonly<Record<string, string>>;
}

export type Duplicates = ReadonlyMap<string, string>;
export const NO_DUPLICATES: Duplicates = new Map();

/** The reason why a project accepts no more events: it is archived, or it or the source was deleted. */
export type Closure = 'archived' | 'gone' | 'source_gone';

/** The outcome of a request, known after the commit. */
export type Verdict =
  | {
      readonly kind: 'written';
      /** The time of acceptance, by the clock of the database. */
      readonly acceptedAt: Date;
      readonly admitted: number;
      /** The limit that was reached, or null. Later events that are not duplicates were refused for it. */
      readonly rest: RefusalReason | null;
      /**
       * The ids of the stored events, by the ids of events that had the same unique key and were not stored. They do not
       * count as admitted.
       */
      readonly duplicates: Duplicates;
    }
  | { readonly kind: 'refused'; readonly refusal: IngestionRefusal }
  /** The project was archived, or it or the source was deleted, before the write. */
  | { readonly kind: 'closed'; readonly why: Closure }
  | { readonly kind: 'replayed'; readonly stored: StoredAnswer }
  /** The key belongs to another request. */
  | { readonly kind: 'conflict' };

export class IdempotencyKeyInProgress extends domainError(409, 'Idempotency-Key request is already in progress') {}

/**
 * Accepts requests and answers each once it is durable. Implemented by the writer to PostgreSQL and by the queue in
 * Redis.
 */
export abstract class EventIntake {
  /**
   * @throws ServiceOverloaded when the request cannot be accepted now; IdempotencyKeyInProgress while another request
   * with its key is in progress
   */
  abstract submit(request: WriteRequest): Promise<Verdict>;
}
