import { Injectable } from '@nestjs/common';
import type { ProjectId, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { ProjectSettings } from './project-settings.entity.js';

/** The settings that ingestion needs from a project before it stores an event. */
export interface StoredPolicy {
  readonly archived: boolean;
  readonly redactedProperties: readonly string[];
}

@Injectable()
export class ProjectSettingsRepository {
  constructor(private readonly database: Database) {}

  /** Returns null when the settings were never set. */
  find(scope: Pick<ProjectScope, 'projectId'>, db?: Db): Promise<ProjectSettings | null> {
    return this.database.repository(ProjectSettings, db).findOneBy({ projectId: scope.projectId });
  }

  async replace(
    scope: Pick<ProjectScope, 'projectId'>,
    settings: Omit<ProjectSettings, 'projectId' | 'updatedAt'>,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `INSERT INTO project_settings
         (project_id, timezone, default_range, redacted_properties, noise_endpoints, annotation_events)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (project_id) DO UPDATE SET timezone = excluded.timezone, default_range = excluded.default_range,
         redacted_properties = excluded.redacted_properties, noise_endpoints = excluded.noise_endpoints,
         annotation_events = excluded.annotation_events, updated_at = now()`,
      [
        scope.projectId,
        settings.timezone,
        settings.defaultRange,
        settings.redactedProperties,
        settings.noiseEndpoints,
        settings.annotationEvents,
      ],
      tx,
    );
  }

  /** Returns null when there is no such project. */
  async policyOf(projectId: ProjectId): Promise<StoredPolicy | null> {
    const rows = await this.database.rows<StoredPolicy>(
      `SELECT p.archived_at IS NOT NULL AS archived, coalesce(s.redacted_properties, '{}') AS "redactedProperties"
       FROM projects p LEFT JOIN project_settings s ON s.project_id = p.id
       WHERE p.id = $1 AND p.deleted_at IS NULL`,
      [projectId],
    );
    return rows[0] ?? null;
  }
}
