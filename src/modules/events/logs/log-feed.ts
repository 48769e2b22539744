import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../access/index.js';
import { writeObject } from '../../../platform/http/written-json.js';
import type { FeedCursor, FeedRead, FeedSource } from '../streams/index.js';
import { EventFeed } from '../feed/index.js';
import { ProjectsReader } from '../../tenancy/projects/index.js';
import { LOG_ROWS, logRow } from './log-row.js';

/** Reads log rows for the log stream. */
@Injectable()
export class LogFeed implements FeedSource {
  readonly name = 'logs';

  constructor(
    private readonly events: EventFeed,
    private readonly projects: ProjectsReader,
  ) {}

  settled(): Promise<Date> {
    return this.events.settled();
  }

  start(projectId: ProjectId, until: Date): Promise<FeedCursor | null> {
    return this.events.start(projectId, until);
  }

  async read(projectId: ProjectId, after: FeedCursor | null, until: Date, limit: number): Promise<FeedRead | null> {
    const { name } = await this.projects.get({ projectId });
    return this.events.readAs(projectId, after, until, limit, LOG_ROWS, (row) =>
      writeObject({ type: 'log', log: logRow(row, name) }),
    );
  }
}
