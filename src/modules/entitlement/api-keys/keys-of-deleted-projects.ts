import { Injectable } from '@nestjs/common';
import { ProjectBelongings, type RemovalStep } from '../../tenancy/projects/index.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** Dead since the deletion; a project has few, so one step removes them all. */
@Injectable()
export class KeysOfDeletedProjects extends ProjectBelongings {
  constructor(private readonly keys: ApiKeysRepository) {
    super();
  }

  async removeOf(projectId: string): Promise<RemovalStep> {
    return { removed: await this.keys.removeAll(projectId), done: true };
  }
}
