import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { type Members, textOf, writeList, writeObject, WrittenJson } from '../../../platform/http/written-json.js';
import type { StoredEvent } from '../fields/index.js';
import { type EventPlace, eventRecord, EventRowsReader, PAGE_BYTES, ReadBudget, RECORDS } from '../reads/index.js';
import type { EqlAnswer, FoundSequenceResponse } from './eql.dto.js';
import { QueryNeedsTooMuchMemory } from './matching/pending-budget.js';
import type { ResultPosition } from './matching/result-window.js';
import type { Found } from './running/query-runner.js';

/** A single result may be larger than a page, up to this. */
const LARGEST_RESULT_BYTES = 32 * 1024 * 1024;
const MISSING = { missing: true };

export type Head = Omit<EqlAnswer, 'events' | 'sequences' | 'has_more'>;
/** What of an answer is known before its events are read. */
export interface Results {
  readonly items: readonly Found[];
  readonly hasMore: boolean;
  readonly position: ResultPosition;
}

/** Reads the events of results and writes the answer: no larger than a page, and only so many at a time. */
@Injectable()
export class AnswerWriter {
  constructor(
    private readonly rows: EventRowsReader,
    private readonly budget: ReadBudget,
  ) {}

  /** @throws TooManyLargeReads, QueryNeedsTooMuchMemory */
  async write(scope: ProjectScope, head: Head, { items, hasMore, position }: Results): Promise<WrittenJson<EqlAnswer>> {
    const wanted = position === 'tail' ? [...items].reverse() : items;
    const { count, bytes, places } = await this.fit(scope, wanted);
    const shown = wanted.slice(0, count);
    if (position === 'tail') shown.reverse();
    return this.budget.answer(scope.projectId, bytes, async () => {
      const records = new Map(
        (await this.rows.read<StoredEvent>(scope, places, RECORDS)).map((stored) => [stored.id, eventRecord(stored)]),
      );
      // Events that are gone by now are gone from results, too, and whole sequences with them.
      const whole = shown.filter(({ events }) =>
        events.every((event) => event === null || records.has(event.place.id)),
      );
      const members: Members<EqlAnswer> = {
        ...head,
        events: writeList(
          head.kind === 'events' ? whole.flatMap(({ events }) => recordsOf(events, records)) : [],
        ) as WrittenJson<EqlAnswer['events']>,
        sequences: writeList(
          head.kind === 'events' ? [] : whole.map(({ keys, events }) => sequenceOf(keys, recordsOf(events, records))),
        ),
        has_more: hasMore || count < items.length,
      };
      return writeObject<EqlAnswer>(members);
    });
  }

  /** The first of the results, as many as a page holds; one at least. */
  private async fit(
    scope: ProjectScope,
    results: readonly Found[],
  ): Promise<{ count: number; bytes: number; places: readonly EventPlace[] }> {
    const all = new Map<string, EventPlace>();
    for (const { events } of results)
      for (const event of events) if (event !== null) all.set(event.place.id, event.place);
    const { places, bytes } = await this.rows.fit(scope, [...all.values()], PAGE_BYTES);
    const there = new Set(places.map(({ id }) => id));
    const cut = results.findIndex(({ events }) => events.some((event) => event !== null && !there.has(event.place.id)));
    if (cut < 0) return { count: results.length, bytes, places };
    if (cut > 0) return { count: cut, bytes, places };
    const first = (results[0]?.events ?? []).flatMap((event) => (event === null ? [] : [event.place]));
    const alone = await this.rows.fit(scope, first, LARGEST_RESULT_BYTES);
    if (alone.places.length < first.length) throw new QueryNeedsTooMuchMemory();
    return { count: 1, bytes: alone.bytes, places: alone.places };
  }
}

function recordsOf(events: Found['events'], records: ReadonlyMap<string, WrittenJson>): WrittenJson[] {
  return events.map((event) => {
    const record = event === null ? undefined : records.get(event.place.id);
    return record ?? new WrittenJson(textOf(MISSING));
  });
}

function sequenceOf(keys: Found['keys'], events: WrittenJson[]): WrittenJson<FoundSequenceResponse> {
  return writeObject<FoundSequenceResponse>({
    join_keys: [...keys],
    events: writeList(events) as WrittenJson<FoundSequenceResponse['events']>,
  });
}
