import { Injectable } from '@nestjs/common';
import type { FeedItem, FeedPlace, FeedSource } from '../event-streams/index.js';
import { EVENT_COLUMNS, EventReads, EXISTING_EVENTS, SettledEvents, type StoredEvent } from '../events/index.js';
import { ProjectsRepository } from '../projects/index.js';
import { LOG_COLUMNS, type LoggedEvent, logRow } from './log-row.js';

/** Log rows for their stream. */
@Injectable()
export class LogFeed implements FeedSource {
  readonly name = 'logs';

  constructor(
    private readonly events: EventReads,
    private readonly state: SettledEvents,
    private readonly projects: ProjectsRepository,
  ) {}

  settled(): Promise<Date> {
    return this.state.settled();
  }

  start(projectId: string, until: Date): Promise<FeedPlace | null> {
    return this.events.placeBefore({ projectId }, until, EXISTING_EVENTS);
  }

  async read(projectId: string, after: FeedPlace | null, until: Date, limit: number): Promise<FeedItem[]> {
    const columns = `${EVENT_COLUMNS}, ${LOG_COLUMNS}`;
    const rows = await this.events.after<StoredEvent & LoggedEvent>({ projectId }, after, until, limit, columns);
    if (rows.length === 0) return [];
    const { name } = await this.projects.get({ projectId });
    return rows.map((row) => ({ place: row, message: { type: 'log', log: logRow(row, name) } }));
  }
}
