import fc from 'fast-check';

/** The number of terms that events may match. They are numbered from 0. */
export const TERMS = 5;

/** The plan of a sequence query, as the service reads it. Terms are numbers. */
interface SequencePlan {
  /** The terms of the events of a sequence, in order. */
  readonly stages: readonly number[];
  /** For each stage, the terms that no event may match between the previous stage and this one. */
  readonly gaps: readonly (readonly number[])[];
  /** The terms that no event may match after the last stage. */
  readonly trailing: readonly number[];
  readonly layout: readonly (number | null)[];
  readonly until: number | null;
  readonly maxspanMs: number | null;
}

/** The part of an event that sequences use. */
export interface KeyedEvent {
  readonly ms: number;
  /** By term: the keys for which the event matches. */
  readonly keys: readonly (readonly string[])[];
}

/**
 * Applies the rules of sequences literally; each rule scans all events again. @returns the positions of the events of
 * each sequence
 */
export function byRules(
  { stages, gaps, trailing, until, maxspanMs }: SequencePlan,
  events: readonly KeyedEvent[],
): number[][] {
  const msOf = (at: number): number => events[at]?.ms ?? 0;
  const fits = (at: number, term: number, id: string): boolean => events[at]?.keys[term]?.includes(id) === true;
  const all = events.map((_, at) => at);
  const found: { of: number[]; endMs: number }[] = [];
  const isLone = (of: readonly number[], id: string): number | null => {
    const [first, last] = [of[0] ?? 0, of.at(-1) ?? 0];
    if (maxspanMs === null) return 0;
    const leads = all.filter((at) => at < first && (gaps[0] ?? []).some((term) => fits(at, term, id)));
    const trails = all.filter((at) => at > last && trailing.some((term) => fits(at, term, id)));
    const [hasLead, hasTrail] = [(gaps[0] ?? []).length > 0, trailing.length > 0];
    const spans: number[] = [];
    if (!hasTrail) spans.push(msOf(last) - maxspanMs);
    else if (!hasLead) spans.push(msOf(first));
    else for (let from = msOf(last) - maxspanMs; from <= msOf(first); from += 0.5) spans.push(from);
    const whole = spans.filter(
      (from) =>
        !leads.some((at) => hasLead && msOf(at) >= from) &&
        !trails.some((at) => hasTrail && msOf(at) <= from + maxspanMs),
    );
    if (whole.length === 0) return null;
    if (!hasTrail) return 0;
    const led = Math.max(-Infinity, ...leads.map(msOf));
    return hasLead ? Math.max(msOf(last), led + maxspanMs) : msOf(first) + maxspanMs;
  };
  const slots = new Map<string, (number[] | undefined)[]>();
  for (const at of all) {
    const complete: [number[], string][] = [];
    for (let stage = stages.length - 1; stage >= 0; stage -= 1) {
      for (const id of events[at]?.keys[stages[stage] ?? 0] ?? []) {
        const own = slots.get(id) ?? [];
        slots.set(id, own);
        let before: number[] | undefined = [];
        if (stage > 0) {
          before = own[stage - 1];
          own[stage - 1] = undefined;
          if (before === undefined) continue;
          if (maxspanMs !== null && msOf(at) - msOf(before[0] ?? 0) > maxspanMs) continue;
          const last = before.at(-1) ?? 0;
          if (
            all.some((other) => other > last && other < at && (gaps[stage] ?? []).some((term) => fits(other, term, id)))
          ) {
            continue;
          }
        }
        if (stage === stages.length - 1) complete.push([[...before, at], id]);
        else own[stage] = [...before, at];
      }
    }
    for (const [of, id] of complete) {
      const endMs = isLone(of, id);
      if (endMs !== null) found.push({ of, endMs });
    }
    if (until !== null) for (const id of events[at]?.keys[until] ?? []) slots.delete(id);
  }
  // The sort is stable, so sequences with the same end keep their order.
  return (trailing.length === 0 ? found : found.sort((a, b) => a.endMs - b.endMs)).map(({ of }) => of);
}

const term = fc.nat(TERMS - 1);
const terms = fc.array(term, { maxLength: 1 });
export const anyPlan: fc.Arbitrary<SequencePlan> = fc
  .tuple(
    fc.array(fc.tuple(term, terms), { minLength: 1, maxLength: 4 }),
    terms,
    fc.option(term),
    fc.option(fc.integer({ min: 1, max: 6 })),
  )
  .map(([stages, trailing, until, maxspanMs]): SequencePlan => {
    const hasSpan = maxspanMs !== null;
    return {
      stages: stages.map(([stage]) => stage),
      gaps: stages.map(([, missing]) => (hasSpan ? missing : [])),
      trailing: hasSpan ? trailing : [],
      layout: [],
      until,
      maxspanMs,
    };
  });
export const anyEvents: fc.Arbitrary<KeyedEvent[]> = fc
  .array(
    fc.record({
      step: fc.nat(2),
      keys: fc.array(fc.constantFrom<readonly string[]>([], [], ['x'], ['y'], ['x', 'y']), {
        minLength: TERMS,
        maxLength: TERMS,
      }),
    }),
    { maxLength: 24 },
  )
  .map((written) => {
    let ms = 0;
    return written.map(({ step, keys }): KeyedEvent => ({ ms: (ms += step), keys }));
  });
