import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct } from '../project-act.js';
import { ProjectAuthorization } from '../project.authorization.js';
import { ProjectChangesNotifier } from '../project-changes.notifier.js';
import { type ReplaceSettingsRequest, settingsResponse, type SettingsResponse } from './project-settings.dto.js';
import { DEFAULT_ANNOTATION_EVENTS, DEFAULT_TIME_ZONE, type ProjectSettings } from './project-settings.entity.js';
import { ProjectSettingsRepository } from './project-settings.repository.js';

type Settings = Omit<ProjectSettings, 'projectId' | 'updatedAt'>;

const DEFAULTS: Settings = {
  timezone: DEFAULT_TIME_ZONE,
  defaultRange: '24h',
  redactedProperties: [],
  noiseEndpoints: [],
  annotationEvents: [...DEFAULT_ANNOTATION_EVENTS],
};

@Injectable()
export class ProjectSettingsService {
  constructor(
    private readonly database: Database,
    private readonly settings: ProjectSettingsRepository,
    private readonly authorization: ProjectAuthorization,
    private readonly changes: ProjectChangesNotifier,
    private readonly audit: AuditWriter,
  ) {}

  async get(scope: ProjectScope): Promise<SettingsResponse> {
    const stored = await this.settings.find(scope);
    return settingsResponse(stored ?? { ...DEFAULTS, projectId: scope.projectId, updatedAt: null });
  }

  /**
   * Replaces the settings. New redaction rules apply on this instance at once, and on other instances within 5 seconds.
   */
  async replace(scope: ProjectMemberScope, request: ReplaceSettingsRequest): Promise<SettingsResponse> {
    const next: Settings = {
      timezone: request.timezone,
      defaultRange: request.default_range,
      redactedProperties: [...new Set(request.redacted_properties)],
      noiseEndpoints: [...new Set(request.noise_endpoints)],
      annotationEvents: [...new Set(request.annotation_events)],
    };
    await this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const before: Settings = (await this.settings.find(scope, tx)) ?? DEFAULTS;
      await this.settings.replace(scope, next, tx);
      await this.audit.record(
        projectAct(scope, 'project.settings_updated', { changed: changedNames(before, next) }),
        tx,
      );
      await this.changes.announce(scope.projectId, tx);
    });
    this.changes.apply(scope.projectId);
    return this.get(scope);
  }
}

const WIRE_NAMES: Readonly<Record<keyof Settings, string>> = {
  timezone: 'timezone',
  defaultRange: 'default_range',
  redactedProperties: 'redacted_properties',
  noiseEndpoints: 'noise_endpoints',
  annotationEvents: 'annotation_events',
};

function changedNames(before: Settings, next: Settings): string[] {
  return (Object.keys(WIRE_NAMES) as (keyof Settings)[])
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(next[key]))
    .map((key) => WIRE_NAMES[key]);
}
