import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../platform/access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { Silence } from './silence.entity.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

export const SILENCE_STATES = ['pending', 'active', 'expired'] as const;
export type SilenceState = (typeof SILENCE_STATES)[number];

/** A silence with its state at the moment it was read. */
export type ReadSilence = Silence & { readonly state: SilenceState };

const STATE = `CASE WHEN s.ends_at <= statement_timestamp() THEN 'expired'
  WHEN s.starts_at > statement_timestamp() THEN 'pending' ELSE 'active' END`;
const COLUMNS = `s.id, s.project_id AS "projectId", s.filter, s.starts_at AS "startsAt", s.ends_at AS "endsAt", s.reason,
  s.created_by AS "createdBy", s.revision, s.created_at AS "createdAt", ${STATE} AS state`;

@Injectable()
export class SilencesRepository {
  constructor(private readonly database: Database) {}

  /** Those that hold now. */
  activeOf({ projectId }: Tenant, db: Db): Promise<ReadSilence[]> {
    return this.database.rows<ReadSilence>(
      `SELECT ${COLUMNS} FROM alert_silences s
       WHERE s.project_id = $1 AND s.ends_at > statement_timestamp() AND s.starts_at <= statement_timestamp()`,
      [projectId],
      db,
    );
  }
}
