import type { OrganizationId, ProjectId } from '../../../access/index.js';
import type { IngestionRefusal, RefusalReason } from '../../../entitlement/quotas/index.js';
import { domainError } from '../../../../platform/http/domain-error.js';
import type { NormalizedEvent } from '../../fields/index.js';

/** Whose events they are. */
export interface Sender {
  readonly organizationId: OrganizationId;
  readonly projectId: ProjectId;
  readonly sourceId: string | null;
  /** Null: a person's, or that of a webhook. */
  readonly apiKeyId: string | null;
  /** Whether the event came by a webhook of the source, whose refusals are recorded although it has no key. */
  readonly isHook?: boolean;
}

/** One request: events that are admitted in their order, as many as the allowances let. */
export interface WriteRequest {
  readonly sender: Sender;
  readonly events: readonly NormalizedEvent[];
  /**
   * Keys of events that are stored once in 24 hours in their project, by the ids of the events. SHA-256 of each key. No
   * two events of a request have the same key.
   */
  readonly uniqueKeys?: ReadonlyMap<string, Buffer> | undefined;
  /** Null without an `Idempotency-Key`. */
  readonly idempotency: Idempotency | null;
  /** Set when it was answered before: it is counted at that time, and no allowance refuses it any more. */
  readonly acceptedAt?: Date;
  /** Whether an earlier try may have written it: then it is looked for first. */
  readonly mayBeWritten?: boolean;
}

export interface Idempotency {
  readonly key: string;
  /** SHA-256 of the normalized request. */
  readonly hash: Buffer;
  /** What a repetition is answered from, if everything is admitted. */
  readonly answer: object;
  /**
   * Duplicates that were left out of the request before it was queued, as in {@link StoredAnswer}. Missing without any.
   */
  readonly duplicates?: Readonly<Record<string, string>>;
  /** Set when fewer were admitted than the answer speaks of. */
  readonly cut?: { readonly admitted: number; readonly why: RefusalReason };
}

/** What a repetition of a request is answered from. */
export interface StoredAnswer {
  /** Of the request that was answered so. */
  readonly request: string;
  readonly answer: unknown;
  /** Set when only the first so many events were admitted, and why the rest was not. */
  readonly admitted?: number;
  readonly why?: RefusalReason;
  /** The ids of the stored events, by the ids of events that had the same unique key and were not stored. */
  readonly duplicates?: Readonly<Record<string, string>>;
}

export type Duplicates = ReadonlyMap<string, string>;
export const NO_DUPLICATES: Duplicates = new Map();

/** Why nothing can come any more: the project is archived, or it is gone, or the source is. */
export type Closure = 'archived' | 'gone' | 'source_gone';

/** What became of a request, told after the commit. */
export type Verdict =
  | {
      readonly kind: 'written';
      /** When it was accepted, by the database's clock. */
      readonly acceptedAt: Date;
      readonly admitted: number;
      /** The limit that was reached, or null. Events behind the admitted ones that are not duplicates were refused for it. */
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

/** Takes requests and answers each once it is safe: the writer to PostgreSQL, or the queue in Redis. */
export abstract class EventIntake {
  /** @throws ServiceOverloaded when it cannot take the request now, IdempotencyKeyInProgress while its key is being handled */
  abstract submit(request: WriteRequest): Promise<Verdict>;
}
