import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import type { WrittenJson } from '../../../platform/http/written-json.js';
import { type EventPlace, EventRowsReader, type Selection } from '../event-store/index.js';
import { ReadBudget } from './read-budget.js';

/** Of the events of one answer; a single event may be larger. */
export const PAGE_BYTES = 4 * 1024 * 1024;

/** Makes answers of events: no larger than {@link PAGE_BYTES}, and only so many at a time. */
@Injectable()
export class EventPageReader {
  constructor(
    private readonly events: EventRowsReader,
    private readonly budget: ReadBudget,
  ) {}

  /**
   * @param write makes the answer of the events that fit, the first of the places
   * @param bytesBeside what else goes into the answer
   * @throws TooManyLargeReads
   */
  async answer<Row, Shape>(
    scope: Pick<ProjectScope, 'projectId'>,
    places: readonly EventPlace[],
    selection: Selection<Row>,
    write: (rows: readonly Row[], shown: readonly EventPlace[]) => WrittenJson<Shape>,
    bytesBeside = 0,
  ): Promise<WrittenJson<Shape>> {
    const fitting = await this.events.fit(scope, places, PAGE_BYTES);
    return this.budget.answer(scope.projectId, fitting.bytes + bytesBeside, async () =>
      write(await this.events.read(scope, fitting.places, selection), fitting.places),
    );
  }
}
