import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

export interface Arrivals {
  /** Null when there was no event yet. When PostgreSQL no longer has the event, this is the start of its hour. */
  readonly lastEventAt: Date | null;
  readonly lastHour: number;
  readonly last24h: number;
}

@Injectable()
export class ArrivalsReader {
  constructor(private readonly database: Database) {}

  /** Counts by timestamp, along the primary key. Windows end at `now`. */
  async arrivals({ projectId }: Pick<ProjectScope, 'projectId'>, now: Date): Promise<Arrivals> {
    const [row] = await this.database.rows<Arrivals>(
      // Counters are kept longer than events.
      `SELECT greatest((SELECT "timestamp" FROM events WHERE project_id = $1 ORDER BY "timestamp" DESC LIMIT 1),
                       (SELECT max(hour) FROM event_hours WHERE project_id = $1)) AS "lastEventAt",
              count(*) FILTER (WHERE "timestamp" > $2::timestamptz - interval '1 hour')::int AS "lastHour",
              count(*)::int AS "last24h"
       FROM events
       WHERE project_id = $1 AND "timestamp" > $2::timestamptz - interval '24 hours' AND "timestamp" <= $2::timestamptz`,
      [projectId, now],
    );
    return row ?? { lastEventAt: null, lastHour: 0, last24h: 0 };
  }
}
