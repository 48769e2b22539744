import { Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { OutcomeUnknown } from '../../../../platform/database/dedicated-connection.js';
import { ServiceOverloaded } from '../../../../platform/http/domain-error.js';
import { newId } from '../../../../platform/ids/index.js';
import { blockReason, type RefusalReason } from '../../../entitlement/quotas/index.js';
import {
  type Duplicates,
  EventIntake,
  type Idempotency,
  IdempotencyKeyInProgress,
  NO_DUPLICATES,
  type Sender,
  type UniqueEventsWriter,
  type Verdict,
  type WriteRequest,
} from '../../event-store/index.js';
import type { AllowanceReader, SenderAllowances } from './allowance.reader.js';
import type { AcceptanceAnswer, RequestStream, KnownAnswer, StoredCounts } from './request-stream.js';
import { encodeRequest, reasonOfEnding } from './queued-request.js';
import { errorMessage } from '../../../../platform/errors/index.js';

const UNASKED = { used: 0, limit: null };
/**
 * The maximum number of attempts to add a request. An attempt is repeated when events are being stored meanwhile, so
 * that the counts of Redis and of the database do not match.
 */
const MOST_TRIES = 50;
/**
 * The pauses between attempts double from the first to the longest, because the entries that are being stored are
 * released with their whole batch. All attempts together take about five seconds.
 */
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 125;

/**
 * Adds requests to the stream. Allowances are read from the database, and are checked together with the contents of the
 * stream at the moment in which the request is added. An accepted request is stored even if the allowances change
 * later.
 */
export class EventQueue extends EventIntake implements OnApplicationBootstrap {
  private readonly keysInProgress = new Set<string>();
  /** Reads of Redis that are in progress, by sender and day. */
  private readonly asked = new Map<string, Promise<StoredCounts>>();
  private readonly logger = new Logger('ingestion');
  /** The UTC day of the last read from the database, YYYY-MM-DD. */
  private day: string | undefined;

  constructor(
    private readonly stream: RequestStream,
    private readonly allowances: AllowanceReader,
    private readonly uniqueEvents: UniqueEventsWriter,
  ) {
    super();
  }

  async onApplicationBootstrap(): Promise<void> {
    const isDurable = await this.stream.isDurable().catch(() => null);
    if (isDurable === false) this.logger.warn('Redis has appendonly off: queued events do not survive its restart');
  }

  async submit(request: WriteRequest): Promise<Verdict> {
    const { sender, idempotency } = request;
    if (idempotency === null) return this.accept(request);
    const key = `${sender.apiKeyId} ${idempotency.key}`;
    if (this.keysInProgress.has(key)) throw new IdempotencyKeyInProgress();
    this.keysInProgress.add(key);
    try {
      return (await this.known(sender, idempotency)) ?? (await this.accept(request));
    } finally {
      this.keysInProgress.delete(key);
    }
  }

  /**
   * Returns the answer that Redis stored for the key, else the answer in the database. Only the database has it when
   * Redis has lost its data since, or when `queued` was not configured yet.
   */
  private async known(sender: Sender, { key, hash }: Idempotency): Promise<Verdict | null> {
    const queued = await this.orOverloaded(this.stream.answerOf(sender, key));
    if (queued !== null) return queued.hash === hash.toString('base64') ? replayOf(queued) : { kind: 'conflict' };
    const stored = await this.allowances.answerOf(sender.apiKeyId, key);
    if (stored === null) return null;
    return stored.hash.equals(hash) ? { kind: 'replayed', stored: stored.stored } : { kind: 'conflict' };
  }

  /**
   * Leaves out events whose unique key belongs to a stored event. When two events with the same key are in the queue,
   * both are answered as accepted, and only the first one is stored.
   */
  private async accept(sent: WriteRequest): Promise<Verdict> {
    const { uniqueKeys, sender } = sent;
    if (uniqueKeys === undefined || uniqueKeys.size === 0) return this.add(sent, NO_DUPLICATES);
    const duplicates = await this.uniqueEvents.duplicatesOf(sender.projectId, uniqueKeys);
    if (duplicates.size === 0) return this.add(sent, duplicates);
    const verdict = await this.add(
      {
        ...sent,
        events: sent.events.filter(({ id }) => !duplicates.has(id)),
        idempotency: sent.idempotency && { ...sent.idempotency, duplicates: Object.fromEntries(duplicates) },
      },
      duplicates,
    );
    if (verdict.kind !== 'refused') return verdict;
    const { at, reason } = verdict.refusal;
    return { kind: 'written', acceptedAt: at, admitted: 0, rest: reason, duplicates };
  }

  private async add(request: WriteRequest, duplicates: Duplicates): Promise<Verdict> {
    const id = newId();
    this.day ??= dayOf(await this.allowances.read(request.sender));
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const day: string = this.day;
      // The order matters: `ACCEPT_SCRIPT` relies on stored counts that were read before the allowances.
      const stored = await this.orOverloaded(this.stored(request.sender, day));
      const allowances = await this.allowances.read(request.sender);
      this.day = dayOf(allowances);
      if (this.day !== day) continue;
      if (allowances.closed !== null) return { kind: 'closed', why: allowances.closed };
      // When the database alone decides that the sender is blocked, the contents of the stream do not matter. The
      // script checks the limits that queued events use up, too.
      const blocked = blockReason({ ...allowances, requests: UNASKED });
      if (blocked !== null) return refused(allowances, blocked);
      const verdict = verdictOf(await this.offer(request, id, day, allowances, stored), allowances, duplicates);
      if (verdict !== null) return verdict;
      await pause(Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS));
    }
    throw new ServiceOverloaded();
  }

  /**
   * Returns the stored counts, and shares one read among calls for the same sender and day. Counts from a moment before
   * the allowances are read are valid. The older they are, the fewer events can be admitted with certainty.
   */
  private stored(sender: Sender, day: string): Promise<StoredCounts> {
    const name = `${sender.organizationId} ${sender.projectId} ${sender.sourceId} ${day}`;
    const asked = this.asked.get(name) ?? this.stream.stored(sender, day).finally(() => this.asked.delete(name));
    this.asked.set(name, asked);
    return asked;
  }

  private offer(
    request: WriteRequest,
    id: string,
    day: string,
    { at, events, requests, today }: SenderAllowances,
    stored: StoredCounts,
  ): Promise<AcceptanceAnswer> {
    const { sender, idempotency } = request;
    return this.orOverloaded(
      this.stream.accept(sender, day, {
        payload: encodeRequest(request, at),
        events: request.events.length,
        month: { ...events, stored: stored.month },
        day: { ...today, stored: stored.day },
        requestsBlocked: requests.limit !== null && requests.used + 1 > requests.limit,
        idempotency: idempotency && {
          key: idempotency.key,
          hash: idempotency.hash.toString('base64'),
          record: JSON.stringify({
            request: id,
            answer: idempotency.answer,
            duplicates: idempotency.duplicates,
          }),
        },
      }),
    );
  }

  /**
   * Rejects with `ServiceOverloaded` when a Redis command fails, because nothing can be accepted safely without Redis.
   * `OutcomeUnknown` is passed on: the request may have been accepted, and a client that repeats it after a refusal
   * would store its events twice.
   */
  private async orOverloaded<T>(command: Promise<T>): Promise<T> {
    try {
      return await command;
    } catch (error) {
      if (error instanceof OutcomeUnknown) throw error;
      this.logger.warn(`the queue took no request: ${errorMessage(error)}`);
      throw new ServiceOverloaded();
    }
  }
}

/** Returns the verdict of an answer, or null when the request must be retried. */
function verdictOf(answer: AcceptanceAnswer, allowances: SenderAllowances, duplicates: Duplicates): Verdict | null {
  switch (answer.kind) {
    case 'ok':
      return {
        kind: 'written',
        acceptedAt: allowances.at,
        admitted: answer.admitted,
        rest: reasonOfEnding(answer.ending),
        duplicates,
      };
    case 'replay':
      return replayOf(answer);
    case 'conflict':
      return { kind: 'conflict' };
    case 'overloaded':
      throw new ServiceOverloaded();
    case 'month':
      return refused(allowances, 'limit_exceeded');
    case 'requests':
      return refused(allowances, 'request_limit_exceeded');
    case 'day':
      return refused(allowances, 'daily_limit_exceeded');
    case 'again':
      return null;
  }
}

function replayOf({ record, admitted, ending }: Pick<KnownAnswer, 'record' | 'admitted' | 'ending'>): Verdict {
  const why = reasonOfEnding(ending);
  const stored = JSON.parse(record) as { request: string; answer: unknown };
  return { kind: 'replayed', stored: { ...stored, ...(why !== null && { admitted, why }) } };
}

/**
 * Returns a refusal. When the monthly limit is reached, the reported use is at least the limit, because the database
 * has not counted the queued events yet.
 */
function refused({ at, billingStatus, events, requests }: SenderAllowances, reason: RefusalReason): Verdict {
  const used = reason === 'limit_exceeded' ? Math.max(events.used, events.limit ?? 0) : events.used;
  return { kind: 'refused', refusal: { reason, at, billingStatus, requests, events: { ...events, used } } };
}

function dayOf({ at }: SenderAllowances): string {
  return at.toISOString().slice(0, 10);
}
