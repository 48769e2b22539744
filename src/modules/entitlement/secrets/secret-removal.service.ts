import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../access/index.js';
import type { RemovalStep } from '../../tenancy/projects/index.js';
import { SecretReferencesService } from './secret-references.service.js';
import { SecretsRepository } from './secrets.repository.js';

/** Removes the secrets of a deleted project, after the places that use them have released them. */
@Injectable()
export class SecretRemovalService {
  constructor(
    private readonly secrets: SecretsRepository,
    private readonly references: SecretReferencesService,
  ) {}

  async removeOf(projectId: ProjectId, limit: number): Promise<RemovalStep> {
    const released = await this.references.release(projectId, limit);
    if (released >= limit) return { removed: released, done: false };
    return { removed: released + (await this.secrets.removeAll(projectId)), done: true };
  }
}
