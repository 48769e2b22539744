import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Clock } from '../../../platform/clock/index.js';
import { sha256 } from '../../../platform/crypto/index.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { LARGE_BYTES, LargeBodies } from '../../../platform/http/large-bodies.js';
import { newId } from '../../../platform/ids/index.js';
import { currentContext } from '../../../platform/telemetry/index.js';
import { IngestionRefusalsService, type RefusalReason } from '../../entitlement/quotas/index.js';
import { NO_DUPLICATES, type Sender } from '../../events/event-store/index.js';
import type { NormalizedEvent } from '../../events/fields/index.js';
import { EventAdmissionService, normalizeEvent } from '../../events/ingestion/index.js';
import { REDACTED, type Redaction } from '../../tenancy/projects/index.js';
import type { DraftOrRefusal, EventDraft } from './event-draft.js';
import { fitEvent, MESSAGE_FULL, TIMESTAMP_ORIGINAL } from './fit-event.js';
import {
  type IntakeAnswer,
  intakeAnswer,
  type Outcome,
  outcomesOf,
  storedOutcomes,
  type StoredIntakeAnswer,
} from './intake-answer.js';
import { AllIntakeEventsRefused } from './intake-errors.js';
import type { IntakeResponse } from './intake.dto.js';
import { MAX_EVENT_BYTES } from './intake-limits.js';
import type { Reading } from './reading.js';

/** Bytes that are fitted before the event loop is yielded to other requests. */
const BYTES_PER_TURN = 64 * 1024;
/** The cost of fitting an event in addition to its bytes, in bytes. */
const BYTES_PER_EVENT = 600;
/**
 * A request whose events have more bytes than this acquires the slot for large bodies, even when its body is small. A
 * small body may expand to many bytes of events.
 */
const BYTES_WITHOUT_SLOT = 256 * 1024;

/**
 * Pairs of a field and the property that keeps the original of the field. A redacted field also redacts its property.
 */
const COPIES = [
  ['message', MESSAGE_FULL],
  ['timestamp', TIMESTAMP_ORIGINAL],
] as const;

const TOO_LARGE = `The event takes more than ${MAX_EVENT_BYTES} bytes`;

/** Identifies a request. A repeat within 24 hours gets the answer that was stored for the first request. */
export interface RepeatKey {
  /** At most 200 characters, unique for the API key. */
  readonly key: string;
  /** SHA-256 of the request. The same key with another hash is refused with 409. */
  readonly hash: Buffer;
  /** Whether the answer to a repeat contains the ids of the events. Without ids, a large request stores less. */
  readonly keepsIds: boolean;
}

export interface IntakeRequest {
  readonly sender: Sender;
  /** The size of the body in bytes. Large bodies are read one at a time, until their events are ready to be stored. */
  readonly size: number;
  /**
   * Reads the items of the body, in the order of the request: at most `MAX_INTAKE_EVENTS` unless the protocol has its
   * own limit. They are consumed one by one, before anything is stored.
   */
  readonly items: (reading: Reading) => Iterable<DraftOrRefusal> | Promise<Iterable<DraftOrRefusal>>;
  /** Ignored for a sender without an API key. */
  readonly repeat?: RepeatKey | undefined;
  /** The HTTP request that a recorded refusal refers to. */
  readonly requestId: string | null;
}

/** The events of a request and the outcomes of its items, in the order of the items. */
class FittedEvents {
  readonly events: NormalizedEvent[] = [];
  readonly outcomes: Outcome[] = [];
  /** SHA-256 of the unique keys, by the ids of their events. */
  readonly uniqueKeys = new Map<string, Buffer>();
  private readonly firstWith = new Map<string, number>();

  /** Records a refusal. Returns 0, the bytes of an event that does not exist. */
  refuse(refusal: string): number {
    this.outcomes.push({ refusal });
    return 0;
  }

  /**
   * Adds an event and returns its bytes. If an earlier event of the request has the same unique key, the item gets the
   * outcome of that event, and 0 is returned.
   */
  add(draft: EventDraft, arrivedAt: Date, redaction: Redaction): number {
    const { uniqueKey } = draft;
    const sameAs = uniqueKey === undefined ? undefined : this.firstWith.get(uniqueKey);
    if (sameAs !== undefined) {
      this.outcomes.push({ sameAs });
      return 0;
    }
    const event = normalized(draft, arrivedAt, redaction);
    if (event.bytes > MAX_EVENT_BYTES) {
      this.outcomes.push({ refusal: TOO_LARGE });
      return event.bytes;
    }
    if (uniqueKey !== undefined) {
      this.firstWith.set(uniqueKey, this.outcomes.length);
      this.uniqueKeys.set(event.id, sha256(uniqueKey));
    }
    this.events.push(event);
    this.outcomes.push({ id: event.id });
    return event.bytes;
  }
}

/** Stores the events of a request of any protocol in one transaction. */
@Injectable()
export class IntakeService {
  constructor(
    private readonly admission: EventAdmissionService,
    private readonly refusals: IngestionRefusalsService,
    private readonly clock: Clock,
    private readonly large: LargeBodies,
  ) {}

  /**
   * Stores the events and returns the result of each item. Some items may be refused.
   * @throws AllIntakeEventsRefused (403, 422 or 429) when every item is refused; its `members` have the results
   * @throws DomainError when the whole request is refused: project, source, billing, a reused key, overload, and any
   * error that `items` throws
   */
  async submit(request: IntakeRequest): Promise<IntakeAnswer> {
    const { sender, repeat, requestId } = request;
    const { redaction } = await this.admission.policyOf(sender, requestId);
    const { events, outcomes, uniqueKeys } = await this.fit(request, redaction);
    const idempotency =
      repeat === undefined || sender.apiKeyId === null || events.length === 0
        ? null
        : { key: repeat.key, hash: repeat.hash, answer: storedOutcomes(outcomes, repeat.keepsIds) };
    const verdict = await this.admission.submitBatch(
      { sender, events, uniqueKeys, idempotency, traceparent: currentContext()?.traceparent },
      requestId,
    );
    switch (verdict.kind) {
      case 'replayed': {
        const { answer, admitted, why, duplicates = {} } = verdict.stored;
        return intakeAnswer(outcomesOf(answer as StoredIntakeAnswer), {
          admitted: admitted ?? Infinity,
          rest: this.sentenceOf(why),
          duplicates: new Map(Object.entries(duplicates)),
          isRepeat: true,
        });
      }
      case 'written':
      case 'refused': {
        const isRefused = verdict.kind === 'refused';
        const answer = intakeAnswer(outcomes, {
          admitted: isRefused ? 0 : verdict.admitted,
          rest: this.sentenceOf(isRefused ? verdict.reason : verdict.rest),
          duplicates: isRefused ? NO_DUPLICATES : verdict.duplicates,
          isRepeat: false,
        });
        if (isRefused && outcomes.length === 0) throw verdict.error;
        if (answer.accepted > 0 || outcomes.length === 0) return answer;
        const areAllOverQuota = outcomes.every((outcome) => !('refusal' in outcome));
        throw new AllIntakeEventsRefused(membersOf(answer), isRefused && areAllOverQuota ? verdict.error : null);
      }
    }
  }

  /** Reads the items of a request and cuts them to the limits of events. */
  private async fit({ sender, size, items }: IntakeRequest, redaction: Redaction): Promise<FittedEvents> {
    const arrivedAt = this.clock.now();
    const fitted = new FittedEvents();
    let [unbroken, kept] = [0, 0];
    let slot = size < LARGE_BYTES ? undefined : await this.large.acquire(sender.projectId);
    try {
      const rest = async (): Promise<void> => slot?.rest();
      for (const item of await items({ redaction, rest })) {
        const bytes = 'refusal' in item ? fitted.refuse(item.refusal) : fitted.add(item.draft, arrivedAt, redaction);
        unbroken += bytes + BYTES_PER_EVENT;
        kept += bytes;
        if (slot === undefined && kept > BYTES_WITHOUT_SLOT) slot = await this.large.acquire(sender.projectId);
        if (unbroken < BYTES_PER_TURN) continue;
        unbroken = 0;
        await nextTurn();
      }
    } finally {
      slot?.end();
    }
    return fitted;
  }

  private sentenceOf(reason: RefusalReason | null | undefined): string {
    return this.refusals.sentenceOf(reason ?? 'blocked');
  }
}

/** Returns the answer that senders get, and keeps a repeated request from being metered again. */
export function answered(request: CheckedRequest, answer: IntakeAnswer): IntakeResponse {
  request.isRepeat = answer.isRepeat;
  return membersOf(answer);
}

function membersOf({ accepted, rejected, duplicates, results }: IntakeAnswer): IntakeResponse {
  return { accepted, rejected, duplicates, results: [...results] };
}

/**
 * Returns the key of an `Idempotency-Key`, or undefined without one.
 * @param context inputs other than the body that distinguish two requests
 */
export function repeatOf(key: string | undefined, context: readonly string[], body: Buffer): RepeatKey | undefined {
  if (key === undefined) return undefined;
  return { key, hash: sha256(Buffer.concat([Buffer.from(`${JSON.stringify(context)}\n`), body])), keepsIds: true };
}

/** Returns the key of a body. A body with the same bytes is a repeat, unless its `protocol` differs. */
export function repeatOfBytes(protocol: string, bytes: Buffer): RepeatKey {
  const hash = sha256(bytes);
  return { key: `${protocol} ${hash.toString('hex')}`, hash, keepsIds: false };
}

function normalized(draft: EventDraft, arrivedAt: Date, redaction: Redaction): NormalizedEvent {
  const request = fitEvent(draft, arrivedAt);
  const { payload } = request;
  for (const [field, copy] of COPIES) {
    if (payload?.[copy] !== undefined && redaction.valueAt([field], '') === REDACTED) payload[copy] = REDACTED;
  }
  return normalizeEvent(request, newId(), arrivedAt, redaction.properties);
}
