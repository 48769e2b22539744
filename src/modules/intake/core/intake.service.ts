import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Clock } from '../../../platform/clock/index.js';
import { sha256 } from '../../../platform/crypto/index.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import { newId } from '../../../platform/ids/index.js';
import { IngestionRefusalsService, type RefusalReason } from '../../entitlement/quotas/index.js';
import { NO_DUPLICATES, type Sender } from '../../events/event-store/index.js';
import type { NormalizedEvent } from '../../events/fields/index.js';
import { AllEventsRefused, EventAdmissionService, normalizeEvent } from '../../events/ingestion/index.js';
import { REDACTED, type Redaction } from '../../tenancy/projects/index.js';
import type { DraftOrRefusal, EventDraft } from './event-draft.js';
import { fitEvent, MESSAGE_FULL } from './fit-event.js';
import {
  type IntakeAnswer,
  intakeAnswer,
  type Outcome,
  outcomesOf,
  storedOutcomes,
  type StoredIntakeAnswer,
} from './intake-answer.js';
import type { IntakeResponse } from './intake.dto.js';
import { MAX_EVENT_BYTES } from './intake-limits.js';

/** Bytes that are fitted before the event loop is yielded to other requests. */
const BYTES_PER_TURN = 64 * 1024;
/** The cost of fitting an event in addition to its bytes, in bytes. */
const BYTES_PER_EVENT = 600;

const TOO_LARGE = `The event takes more than ${MAX_EVENT_BYTES} bytes`;

/** A key under which a whole request is answered as before when it is repeated within 24 hours. */
export interface RepeatKey {
  /** At most 200 characters, unique for the API key. */
  readonly key: string;
  /** SHA-256 of the request. The same key with another hash is refused with 409. */
  readonly hash: Buffer;
  /** Whether the answer to a repeat names the ids of the events. Without them, a large request stores less. */
  readonly keepsIds: boolean;
}

export interface IntakeRequest {
  readonly sender: Sender;
  /**
   * In the order of the request, at most `MAX_INTAKE_EVENTS` unless the protocol has its own limit. They are consumed
   * one by one, before anything is stored.
   */
  readonly items: Iterable<DraftOrRefusal>;
  /** Ignored for a sender without an API key. */
  readonly repeat?: RepeatKey | undefined;
  /** The HTTP request that a recorded refusal refers to. */
  readonly requestId: string | null;
}

interface Fitted {
  readonly events: readonly NormalizedEvent[];
  readonly outcomes: readonly Outcome[];
  /** SHA-256 of the unique keys, by the ids of their events. */
  readonly uniqueKeys: ReadonlyMap<string, Buffer>;
}

/** Stores the events of a request of any protocol, all in one transaction. */
@Injectable()
export class IntakeService {
  constructor(
    private readonly admission: EventAdmissionService,
    private readonly refusals: IngestionRefusalsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the result of each item. Some of them may be refused.
   * @throws AllEventsRefused (403, 422 or 429) when every item is refused; its `members` have the results
   * @throws DomainError when the whole request is refused: project, source, billing, a reused key, overload
   */
  async submit({ sender, items, repeat, requestId }: IntakeRequest): Promise<IntakeAnswer> {
    const { redaction } = await this.admission.policyOf(sender, requestId);
    const { events, outcomes, uniqueKeys } = await this.fit(items, redaction);
    const idempotency =
      repeat === undefined || sender.apiKeyId === null || events.length === 0
        ? null
        : { key: repeat.key, hash: repeat.hash, answer: storedOutcomes(outcomes, repeat.keepsIds) };
    const verdict = await this.admission.submitBatch({ sender, events, uniqueKeys, idempotency }, requestId);
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
        throw new AllEventsRefused(membersOf(answer), isRefused && areAllOverQuota ? verdict.error : null);
      }
    }
  }

  private async fit(items: Iterable<DraftOrRefusal>, redaction: Redaction): Promise<Fitted> {
    const arrivedAt = this.clock.now();
    const events: NormalizedEvent[] = [];
    const outcomes: Outcome[] = [];
    const uniqueKeys = new Map<string, Buffer>();
    const firstWith = new Map<string, number>();
    let unbroken = 0;
    for (const item of items) {
      if ('refusal' in item) {
        outcomes.push({ refusal: item.refusal });
        unbroken += BYTES_PER_EVENT;
      } else {
        const { uniqueKey } = item.draft;
        const sameAs = uniqueKey === undefined ? undefined : firstWith.get(uniqueKey);
        if (sameAs !== undefined) {
          outcomes.push({ sameAs });
          continue;
        }
        const event = normalized(item.draft, arrivedAt, redaction);
        const isTooLarge = event.bytes > MAX_EVENT_BYTES;
        if (!isTooLarge) {
          if (uniqueKey !== undefined) {
            firstWith.set(uniqueKey, outcomes.length);
            uniqueKeys.set(event.id, sha256(uniqueKey));
          }
          events.push(event);
        }
        outcomes.push(isTooLarge ? { refusal: TOO_LARGE } : { id: event.id });
        unbroken += event.bytes + BYTES_PER_EVENT;
      }
      if (unbroken < BYTES_PER_TURN) continue;
      unbroken = 0;
      await nextTurn();
    }
    return { events, outcomes, uniqueKeys };
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
 * @param context what else makes two requests different, beside the body
 */
export function repeatOf(key: string | undefined, context: readonly string[], body: Buffer): RepeatKey | undefined {
  if (key === undefined) return undefined;
  return { key, hash: sha256(Buffer.concat([Buffer.from(`${JSON.stringify(context)}\n`), body])), keepsIds: true };
}

/** Returns a key for a body that is a repeat when it is byte for byte an earlier one. @param protocol keeps protocols apart */
export function repeatOfBytes(protocol: string, bytes: Buffer): RepeatKey {
  const hash = sha256(bytes);
  return { key: `${protocol} ${hash.toString('hex')}`, hash, keepsIds: false };
}

/** A redacted message is redacted in `message_full` too. */
function normalized(draft: EventDraft, arrivedAt: Date, redaction: Redaction): NormalizedEvent {
  const request = fitEvent(draft, arrivedAt);
  const { payload } = request;
  if (payload?.[MESSAGE_FULL] !== undefined && redaction.valueAt(['message'], '') === REDACTED)
    payload[MESSAGE_FULL] = REDACTED;
  return normalizeEvent(request, newId(), arrivedAt, redaction.properties);
}
