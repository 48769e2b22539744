import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { type Members, textOf, writeList, writeObject, WrittenJson } from '../../../platform/http/written-json.js';
import type { StoredEvent } from '../fields/index.js';
import {
  type EventLocator,
  EventRowsReader,
  type Locator,
  LOCATOR_COLUMNS,
  type Selection,
} from '../event-store/index.js';
import { eventRecord, PAGE_BYTES, ReadBudget, RECORDS } from '../reads/index.js';
import type { MatchedEvent } from './matching/matched-event.js';
import type { EqlAnswer, FoundSequenceResponse } from './eql.dto.js';
import { QueryNeedsTooMuchMemory } from './matching/pending-budget.js';
import type { ResultPosition } from './matching/result-window.js';
import type { Found } from './running/query-runner.js';

/** A single result may be larger than a page, up to this many bytes. A larger one is refused with 503. */
const LARGEST_RESULT_BYTES = 32 * 1024 * 1024;
const MISSING = { missing: true };
const LOCATORS: Selection<EventLocator> = { columns: LOCATOR_COLUMNS };

export type Head = Omit<EqlAnswer, 'events' | 'sequences' | 'has_more'>;
/** The results of a query, before their events are read. */
export interface Results {
  readonly items: readonly Found[];
  readonly hasMore: boolean;
  readonly position: ResultPosition;
}

/**
 * Reads the events of results and writes the response. A response is no larger than a page, and the {@link ReadBudget}
 * limits how many are written at a time.
 */
@Injectable()
export class AnswerWriter {
  constructor(
    private readonly rows: EventRowsReader,
    private readonly budget: ReadBudget,
  ) {}

  /** @throws TooManyLargeReads, QueryNeedsTooMuchMemory */
  async write(scope: ProjectScope, head: Head, { items, hasMore, position }: Results): Promise<WrittenJson<EqlAnswer>> {
    const wanted = position === 'tail' ? [...items].reverse() : items;
    const { shown, isCut, bytes, locators } = await this.fit(scope, wanted);
    const ascending = position === 'tail' ? [...shown].reverse() : shown;
    return this.budget.answer(scope.projectId, bytes, async () => {
      const stored = await this.recordsOf(scope, shown, locators);
      const records = new Map(stored.map((event) => [event.id, eventRecord(event)]));
      const whole = ascending.filter(({ events }) => events.every((event) => event === null || records.has(event.id)));
      const members: Members<EqlAnswer> = {
        ...head,
        events: writeList(
          head.kind === 'events' ? whole.flatMap(({ events }) => recordsOf(events, records)) : [],
        ) as WrittenJson<EqlAnswer['events']>,
        sequences: writeList(
          head.kind === 'events' ? [] : whole.map(({ keys, events }) => sequenceOf(keys, recordsOf(events, records))),
        ),
        has_more: hasMore || isCut,
      };
      return writeObject<EqlAnswer>(members);
    });
  }

  /**
   * Returns as many of the first results as fit into a page, but at least one. An event counts as often as it is shown.
   * A result is left out when one of its events was removed after the query had found it.
   */
  private async fit(scope: ProjectScope, results: readonly Found[]): Promise<Fitting> {
    const known = await this.locatorsOf(
      scope,
      results.flatMap(({ events }) => events.filter((event) => event !== null)),
    );
    const whole = results.filter(({ events }) => events.every((event) => event === null || known.has(event.id)));
    const locatorsOf = ({ events }: Found): EventLocator[] =>
      events.flatMap((event) => known.get(event?.id ?? '') ?? []);
    const { locators, bytes } = await this.rows.fit(scope, whole.flatMap(locatorsOf), PAGE_BYTES);
    let [count, taken] = [0, 0];
    for (const result of whole) {
      taken += locatorsOf(result).length;
      if (taken > locators.length) break;
      count += 1;
    }
    const [first] = whole;
    if (count > 0 || first === undefined) {
      return { shown: whole.slice(0, count), isCut: count < whole.length, bytes, locators: new Set(locators) };
    }
    const alone = await this.rows.fit(scope, locatorsOf(first), LARGEST_RESULT_BYTES);
    if (alone.locators.length < locatorsOf(first).length) throw new QueryNeedsTooMuchMemory();
    return { shown: [first], isCut: whole.length > 1, bytes: alone.bytes, locators: new Set(alone.locators) };
  }

  /** Returns the shown events. Events that the query did not read itself are read here. */
  private async recordsOf(
    scope: ProjectScope,
    shown: readonly Found[],
    locators: ReadonlySet<EventLocator>,
  ): Promise<StoredEvent[]> {
    const known = new Map(
      shown.flatMap(({ events }) =>
        events.flatMap((event) => (event?.record ? [[event.id, event.record] as const] : [])),
      ),
    );
    const others = [...locators].filter(({ id }) => !known.has(id));
    return [...known.values(), ...(await this.rows.read<StoredEvent>(scope, others, RECORDS))];
  }

  /** Returns the locators of events by their ids. An event that was removed in the meantime may have none. */
  private async locatorsOf(scope: ProjectScope, events: readonly MatchedEvent[]): Promise<Map<string, EventLocator>> {
    const known = new Map<string, EventLocator>();
    const others = new Map<string, Locator>();
    for (const event of events) {
      if (event.size === undefined) others.set(event.id, locatorOf(event));
      else known.set(event.id, { ...locatorOf(event), ...event.size });
    }
    for (const locator of await this.rows.read<EventLocator>(scope, [...others.values()], LOCATORS))
      known.set(locator.id, locator);
    return known;
  }
}

/** The results that are shown, and the events that are read for them. */
interface Fitting {
  readonly shown: readonly Found[];
  readonly isCut: boolean;
  readonly bytes: number;
  readonly locators: ReadonlySet<EventLocator>;
}

function locatorOf({ id, ms }: MatchedEvent): Locator {
  return { id, timestamp: new Date(ms) };
}

function recordsOf(events: Found['events'], records: ReadonlyMap<string, WrittenJson>): WrittenJson[] {
  return events.map((event) => {
    const record = event === null ? undefined : records.get(event.id);
    return record ?? new WrittenJson(textOf(MISSING));
  });
}

function sequenceOf(keys: Found['keys'], events: WrittenJson[]): WrittenJson<FoundSequenceResponse> {
  return writeObject<FoundSequenceResponse>({
    join_keys: new WrittenJson(textOf(keys)),
    events: writeList(events) as WrittenJson<FoundSequenceResponse['events']>,
  });
}
