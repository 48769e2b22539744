import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { DEFAULT_TIME_ZONE } from './project-settings.entity.js';
import { ProjectSettingsRepository } from './project-settings.repository.js';

/** Reads the time zone in which a project counts its days. */
@Injectable()
export class ProjectTimeZoneReader {
  constructor(private readonly settings: ProjectSettingsRepository) {}

  /** @returns an IANA name */
  async of(scope: Pick<ProjectScope, 'projectId'>): Promise<string> {
    return (await this.settings.find(scope))?.timezone ?? DEFAULT_TIME_ZONE;
  }
}
