import { Injectable } from '@nestjs/common';
import type { OrganizationId, ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { NormalizedEvent } from '../../fields/index.js';

/** An event that the service itself stores in a project. */
export interface ServiceEvent {
  readonly projectId: ProjectId;
  readonly event: NormalizedEvent;
}

/** Stores events of the service itself. No limit refuses them, and no quota counts them. */
@Injectable()
export class ServiceEventsWriter {
  constructor(private readonly database: Database) {}

  /** Stores events of one organization, at most one for each project. An event of a deleted project is left out. */
  async store(organizationId: OrganizationId, events: readonly ServiceEvent[], tx: Db): Promise<void> {
    if (events.length === 0) return;
    const rows = events.map(({ projectId, event }, index) => ({
      ...event,
      request: index + 1,
      position: 1,
      project_id: projectId,
      properties: JSON.parse(event.properties) as unknown,
    }));
    await this.database.rows(
      `SELECT store_service_events($1, ARRAY(
         SELECT jsonb_populate_record(NULL::ingested_event, e.event)
         FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS e (event, n) ORDER BY e.n))`,
      [organizationId, JSON.stringify(rows)],
      tx,
    );
  }
}
