import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import type { WrittenJson } from '../../../platform/http/written-json.js';
import { type EventLocator, EventRowsReader, type Selection } from '../event-store/index.js';
import { ReadBudget } from './read-budget.js';

/** Maximum size of the events in one answer, unless a single event is larger. */
export const PAGE_BYTES = 4 * 1024 * 1024;

/**
 * Builds answers that contain events. An answer has at most {@link PAGE_BYTES} of events, and {@link ReadBudget} limits
 * how many answers are built at a time.
 */
@Injectable()
export class EventPageReader {
  constructor(
    private readonly events: EventRowsReader,
    private readonly budget: ReadBudget,
  ) {}

  /**
   * Returns the answer with as many events as fit.
   * @param write builds the answer from the events that fit, the first of `locators`
   * @param bytesBeside the size of the other parts of the answer
   * @throws TooManyLargeReads
   */
  async answer<Row, Shape>(
    scope: Pick<ProjectScope, 'projectId'>,
    locators: readonly EventLocator[],
    selection: Selection<Row>,
    write: (rows: readonly Row[], shown: readonly EventLocator[]) => WrittenJson<Shape>,
    bytesBeside = 0,
  ): Promise<WrittenJson<Shape>> {
    const fitting = await this.events.fit(scope, locators, PAGE_BYTES);
    return this.budget.answer(scope.projectId, fitting.bytes + bytesBeside, async () =>
      write(await this.events.read(scope, fitting.locators, selection), fitting.locators),
    );
  }
}
