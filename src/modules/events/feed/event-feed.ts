import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../access/index.js';
import { type WrittenJson, writeObject } from '../../../platform/http/written-json.js';
import type { FeedCursor, FeedRead, FeedSource } from '../streams/index.js';
import { eventRecord, ReadBudget, RECORDS } from '../reads/index.js';
import { EventListReader, EventRowsReader, type Locator, type Selection } from '../event-store/index.js';
import { WatermarkRepository } from './watermark.repository.js';

/** A new stream begins with at most this many existing events. */
const EXISTING_EVENTS = 10_000;
/** Bytes of events that one read returns. One larger event is still read. */
const READ_BYTES = 512 * 1024;

/** The source of the stream of raw events. */
@Injectable()
export class EventFeed implements FeedSource {
  readonly name = 'events';

  constructor(
    private readonly lists: EventListReader,
    private readonly rows: EventRowsReader,
    private readonly budget: ReadBudget,
    private readonly watermark: WatermarkRepository,
  ) {}

  settled(): Promise<Date> {
    return this.watermark.settled();
  }

  start(projectId: ProjectId, until: Date): Promise<FeedCursor | null> {
    return this.lists.cursorBefore({ projectId }, until, EXISTING_EVENTS);
  }

  read(projectId: ProjectId, after: FeedCursor | null, until: Date, limit: number): Promise<FeedRead | null> {
    return this.readAs(projectId, after, until, limit, RECORDS, (row) =>
      writeObject({ type: 'event', event: eventRecord(row) }),
    );
  }

  /**
   * Reads the same events as {@link read}, with other columns, and makes the message of each event with `messageOf`.
   */
  async readAs<Row extends Locator>(
    projectId: ProjectId,
    after: FeedCursor | null,
    until: Date,
    limit: number,
    selection: Selection<Row>,
    messageOf: (row: Row) => WrittenJson,
  ): Promise<FeedRead | null> {
    const locators = await this.lists.after({ projectId }, after, until, limit);
    const fitting = await this.rows.fit({ projectId }, locators, READ_BYTES);
    const hold = this.budget.tryTake(projectId, fitting.bytes);
    if (hold === null) return null;
    try {
      const rows = await this.rows.read({ projectId }, fitting.locators, selection);
      const items = rows.map((row) => ({ cursor: row, message: messageOf(row) }));
      const isAll = locators.length < limit && fitting.locators.length === locators.length;
      return { items, hasMore: items.length > 0 && !isAll, hold };
    } catch (error) {
      hold.read();
      hold.sent();
      throw error;
    }
  }
}
