import { Injectable } from '@nestjs/common';
import { projectOf, type ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { SilenceNotFound } from '../alerts.errors.js';
import { Silence } from './silence.entity.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

export const SILENCE_STATES = ['pending', 'active', 'expired'] as const;
export type SilenceState = (typeof SILENCE_STATES)[number];

/** A silence with its state at the moment it was read. */
export type ReadSilence = Silence & { readonly state: SilenceState };

export type ActiveSilence = Pick<Silence, 'id' | 'revision' | 'endsAt'>;

const STATE = `CASE WHEN s.ends_at <= statement_timestamp() THEN 'expired'
  WHEN s.starts_at > statement_timestamp() THEN 'pending' ELSE 'active' END`;
const COLUMNS = `s.id, s.project_id AS "projectId", s.filter, s.starts_at AS "startsAt", s.ends_at AS "endsAt", s.reason,
  s.created_by AS "createdBy", s.revision, s.created_at AS "createdAt", ${STATE} AS state`;

/** The part of a silence that people define. */
type SilenceDefinition = Pick<Silence, 'filter' | 'endsAt' | 'reason'> & {
  /** Null: now for a new silence, unchanged for an existing one. */
  readonly startsAt: Date | null;
};

@Injectable()
export class SilencesRepository {
  constructor(private readonly database: Database) {}

  /** Returns the active silences, the one that ends last first. */
  activeOf({ projectId }: Tenant, db: Db): Promise<ActiveSilence[]> {
    return this.database.rows<ActiveSilence>(
      `SELECT s.id, s.revision, s.ends_at AS "endsAt" FROM alert_silences s
       WHERE s.project_id = $1 AND s.ends_at > statement_timestamp() AND s.starts_at <= statement_timestamp()
       ORDER BY s.ends_at DESC, s.id`,
      [projectId],
      db,
    );
  }

  filtersOf(
    { projectId }: Tenant,
    ids: readonly string[],
    db: Db,
  ): Promise<Pick<Silence, 'id' | 'revision' | 'filter'>[]> {
    return this.database.rows<Pick<Silence, 'id' | 'revision' | 'filter'>>(
      'SELECT id, revision, filter FROM alert_silences WHERE project_id = $1 AND id = ANY ($2::uuid[])',
      [projectId, ids],
      db,
    );
  }

  async insert(
    { projectId }: Tenant,
    id: string,
    createdBy: string,
    silence: SilenceDefinition,
    tx: Db,
  ): Promise<void> {
    const { filter, startsAt, endsAt, reason } = silence;
    await this.database.execute(
      `INSERT INTO alert_silences (id, project_id, filter, starts_at, ends_at, reason, created_by, created_at)
       VALUES ($1, $2, $3, coalesce($4, least(clock_timestamp(), $5)), $5, $6, $7, clock_timestamp())`,
      [id, projectId, JSON.stringify(filter), startsAt, endsAt, reason, createdBy],
      tx,
    );
  }

  async update({ projectId }: Tenant, id: string, silence: SilenceDefinition, tx: Db): Promise<void> {
    const { filter, startsAt, endsAt, reason } = silence;
    await this.database.execute(
      `UPDATE alert_silences SET filter = $3, starts_at = coalesce($4, starts_at), ends_at = $5, reason = $6,
         revision = revision + 1
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, JSON.stringify(filter), startsAt, endsAt, reason],
      tx,
    );
  }

  /** Ends a silence now. A silence that has not started yet starts and ends at the same time. */
  async end({ projectId }: Tenant, id: string, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE alert_silences SET starts_at = least(starts_at, now.at), ends_at = now.at
       FROM (SELECT clock_timestamp() AS at) now WHERE project_id = $1 AND id = $2`,
      [projectId, id],
      tx,
    );
  }

  /** Returns silences, newest first. */
  list({ projectId }: Tenant, state: SilenceState | undefined, limit: number): Promise<ReadSilence[]> {
    return this.database.rows<ReadSilence>(
      `SELECT ${COLUMNS} FROM alert_silences s WHERE s.project_id = $1 AND ($2::text IS NULL OR ${STATE} = $2)
       ORDER BY s.created_at DESC, s.id DESC LIMIT $3`,
      [projectId, state ?? null, limit],
    );
  }

  /** Returns a silence; in a transaction its row is locked. */
  async find({ projectId }: Tenant, id: string, tx?: Db): Promise<ReadSilence | null> {
    const [silence] = await this.database.rows<ReadSilence>(
      `SELECT ${COLUMNS} FROM alert_silences s WHERE s.project_id = $1 AND s.id = $2
       ${tx === undefined ? '' : 'FOR NO KEY UPDATE'}`,
      [projectId, id],
      tx,
    );
    return silence ?? null;
  }

  async countUnexpired({ projectId }: Tenant, tx: Db): Promise<number> {
    const [row] = await this.database.rows<{ total: number }>(
      'SELECT count(*)::int AS total FROM alert_silences WHERE project_id = $1 AND ends_at > statement_timestamp()',
      [projectId],
      tx,
    );
    return row?.total ?? 0;
  }
}

export class ProjectOfSilence extends projectOf('silence_id', Silence, SilenceNotFound) {}
