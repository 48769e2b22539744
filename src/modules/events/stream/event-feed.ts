import { Injectable } from '@nestjs/common';
import type { FeedItem, FeedPlace, FeedSource } from '../../event-streams/index.js';
import { eventRecord } from '../reads/event-record.js';
import { EventReads } from '../reads/event-reads.repository.js';
import { SettledEvents } from './settled-events.js';

/** Existing events that a new stream begins with at most. */
export const EXISTING_EVENTS = 10_000;

/** Raw events for their stream. */
@Injectable()
export class EventFeed implements FeedSource {
  readonly name = 'events';

  constructor(
    private readonly events: EventReads,
    private readonly state: SettledEvents,
  ) {}

  settled(): Promise<Date> {
    return this.state.settled();
  }

  start(projectId: string, until: Date): Promise<FeedPlace | null> {
    return this.events.placeBefore({ projectId }, until, EXISTING_EVENTS);
  }

  async read(projectId: string, after: FeedPlace | null, until: Date, limit: number): Promise<FeedItem[]> {
    const rows = await this.events.after({ projectId }, after, until, limit);
    return rows.map((row) => ({ place: row, message: { type: 'event', event: eventRecord(row) } }));
  }
}
