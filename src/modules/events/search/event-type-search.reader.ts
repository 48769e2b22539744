import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { Parameters } from '../../../platform/database/parameters.js';
import {
  foundThing,
  type FoundThing,
  type Search,
  searchSql,
  SearchSource,
} from '../../tenancy/search-sources/index.js';

const DAY_MS = 86_400_000;

/** Event types that have an event in the window. Whose name fits is asked of the counted days, when it came of the rows. */
@Injectable()
export class EventTypeSearch extends SearchSource {
  readonly type = 'event_type';
  readonly needed = { role: 'viewer' } as const;

  constructor(private readonly database: Database) {
    super();
  }

  async find({ projectId }: ProjectScope, search: Search, limit: number, db: Db): Promise<FoundThing[]> {
    const { words, window } = search;
    const parameters = new Parameters();
    const { bind } = parameters;
    const { fits, folded, rank } = searchSql({ texts: ['event'] }, words, bind);
    const project = bind(projectId);
    const [from, to] = [bind(window.from), bind(window.to)];
    const firstDay = bind(new Date(Math.floor(window.from.getTime() / DAY_MS) * DAY_MS));
    const rows = await this.database.rows<{ event: string; at: Date }>(
      `SELECT event, at FROM (
         SELECT DISTINCT event, ${folded} FROM event_facet_days
         WHERE project_id = ${project} AND day >= ${firstDay} AND day < ${to} AND ${fits}) named
       CROSS JOIN LATERAL (
         SELECT e."timestamp" AS at FROM events e
         WHERE e.project_id = ${project} AND e.event = named.event AND e."timestamp" >= ${from} AND e."timestamp" < ${to}
         ORDER BY e."timestamp" DESC LIMIT 1) newest
       ORDER BY ${rank} DESC, at DESC, event COLLATE "C" LIMIT ${bind(limit)}`,
      parameters.values,
      db,
    );
    return rows.map(({ event, at }) => ({
      ...foundThing({ id: event, title: event, subtitle: null, timestamp: at }, {}),
      fields: [{ name: 'name', text: event }],
    }));
  }
}
