import { Injectable } from '@nestjs/common';
import { projectOf, type ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { EventSource } from './event-source.entity.js';
import type { SourceHook } from './hooks/source-hook.entity.js';
import { EventSourceNotFound } from '../api-keys/index.js';

/** The webhooks of an Event Source, without their secret. */
export interface SeenHook extends Pick<SourceHook, 'scheme' | 'header' | 'encoding' | 'prefix'> {
  /** The last segment of the address, in hexadecimal digits. */
  readonly address: string;
  readonly hasSecret: boolean;
}

/** An Event Source with the time of its newest event, as ingestion has counted it. */
export interface SeenEventSource extends EventSource {
  /** Null when no event has ever come from this source. */
  readonly lastEventAt: Date | null;
  /** Null when the source is not of type `webhook`. */
  readonly hook: SeenHook | null;
}

/**
 * The newest day of a source contains its newest event, so each source costs one lookup in the index of `source_days`.
 */
const SEEN = `
  SELECT s.id, s.project_id AS "projectId", s.name, s.type, s.description, s.is_enabled AS "isEnabled",
         s.created_by AS "createdBy", s.created_at AS "createdAt", d.last_event_at AS "lastEventAt",
         CASE WHEN h.id IS NOT NULL THEN json_build_object(
           'address', encode(h.address, 'hex'), 'scheme', h.scheme, 'header', h.header, 'encoding', h.encoding,
           'prefix', h.prefix, 'hasSecret', h.secret IS NOT NULL) END AS hook
  FROM event_sources s
  LEFT JOIN source_hooks h ON h.project_id = s.project_id AND h.id = s.id
  LEFT JOIN LATERAL (
    SELECT last_event_at FROM source_days WHERE project_id = s.project_id AND source_id = s.id
    ORDER BY day DESC LIMIT 1
  ) d ON true`;

@Injectable()
export class EventSourcesReader {
  constructor(private readonly database: Database) {}

  /** Returns the sources, newest first. */
  list({ projectId }: ProjectScope): Promise<SeenEventSource[]> {
    return this.database.rows<SeenEventSource>(
      `${SEEN} WHERE s.project_id = $1 ORDER BY s.created_at DESC, s.id DESC`,
      [projectId],
    );
  }

  async find({ projectId }: ProjectScope, id: string, db?: Db): Promise<SeenEventSource | null> {
    const rows = await this.database.rows<SeenEventSource>(
      `${SEEN} WHERE s.project_id = $1 AND s.id = $2`,
      [projectId, id],
      db,
    );
    return rows[0] ?? null;
  }
}

export class ProjectOfSource extends projectOf('source_id', EventSource, EventSourceNotFound) {}
