import type { IntakeResult } from './intake.dto.js';

/**
 * The result of an item before it is submitted: an event with an id, a refusal, or the same result as the item at the
 * position `sameAs`.
 */
export type Outcome = { readonly id: string } | { readonly refusal: string } | { readonly sameAs: number };

/** The answer to a request of the intake. Accepted events include duplicates. */
export interface IntakeAnswer {
  readonly accepted: number;
  readonly rejected: number;
  readonly duplicates: number;
  readonly results: readonly IntakeResult[];
  /** Whether the whole request is a repeat. A repeat gets the stored answer and is not metered again. */
  readonly isRepeat: boolean;
}

/** The outcome of the transaction that stores the events of a request. */
export interface Decision {
  /** The number of events that are stored, without duplicates. They are the first events of the request. */
  readonly admitted: number;
  /** The reason why the remaining events are refused. */
  readonly rest: string;
  /** The ids of the stored events, by the ids of their duplicates. */
  readonly duplicates: ReadonlyMap<string, string>;
  readonly isRepeat: boolean;
}

/**
 * The stored data from which a repeat is answered. The ids are left out for protocols whose answers contain no ids,
 * because a request may have 10,000 of them.
 */
export interface StoredIntakeAnswer {
  readonly total: number;
  readonly refusals: readonly (readonly [position: number, detail: string])[];
  readonly same: readonly (readonly [position: number, sameAs: number])[];
  /** One id for each item that is neither refused nor the same as another item. */
  readonly ids?: readonly string[];
}

export function storedOutcomes(outcomes: readonly Outcome[], keepsIds: boolean): StoredIntakeAnswer {
  return {
    total: outcomes.length,
    refusals: outcomes.flatMap((one, position) => ('refusal' in one ? [[position, one.refusal] as const] : [])),
    same: outcomes.flatMap((one, position) => ('sameAs' in one ? [[position, one.sameAs] as const] : [])),
    ...(keepsIds && { ids: outcomes.flatMap((one) => ('refusal' in one || 'sameAs' in one ? [] : one.id)) }),
  };
}

/** Returns the outcomes of the first request. Without stored ids, the ids are empty text. */
export function outcomesOf({ total, refusals, same, ids }: StoredIntakeAnswer): Outcome[] {
  const refused = new Map(refusals);
  const repeated = new Map(same);
  const left = [...(ids ?? [])].reverse();
  return Array.from({ length: total }, (_, position): Outcome => {
    const refusal = refused.get(position);
    if (refusal !== undefined) return { refusal };
    const sameAs = repeated.get(position);
    return sameAs === undefined ? { id: left.pop() ?? '' } : { sameAs };
  });
}

export function intakeAnswer(outcomes: readonly Outcome[], decision: Decision): IntakeAnswer {
  const results: IntakeResult[] = [];
  let taken = 0;
  for (const [position, outcome] of outcomes.entries()) {
    if ('sameAs' in outcome) results.push(sameResult(results[outcome.sameAs], position));
    else if ('refusal' in outcome) results.push(refused(position, outcome.refusal));
    else {
      const original = decision.duplicates.get(outcome.id);
      if (original === undefined && taken >= decision.admitted) results.push(refused(position, decision.rest));
      else {
        if (original === undefined) taken += 1;
        const id = original ?? outcome.id;
        const isDuplicate = original !== undefined || decision.isRepeat;
        results.push({
          position,
          accepted: true,
          duplicate: isDuplicate,
          ...(id !== '' && { ingested_event_id: id }),
        });
      }
    }
  }
  const accepted = results.filter((result) => result.accepted);
  return {
    accepted: accepted.length,
    rejected: results.length - accepted.length,
    duplicates: accepted.filter(({ duplicate }) => duplicate).length,
    results,
    isRepeat: decision.isRepeat,
  };
}

function sameResult(first: IntakeResult | undefined, position: number): IntakeResult {
  if (first === undefined) throw new Error('an item repeats one that follows it');
  return { ...first, position, duplicate: first.accepted };
}

function refused(position: number, detail: string): IntakeResult {
  return { position, accepted: false, duplicate: false, detail };
}
