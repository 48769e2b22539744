import { Injectable } from '@nestjs/common';
import { ProjectBelongings, type RemovalStep } from '../../tenancy/projects/index.js';
import { AttemptsRepository } from './attempts/attempts.repository.js';

/** Evidence goes in batches, with its audits; channels and their headers go with the project's row. */
@Injectable()
export class AttemptsOfDeletedProjects extends ProjectBelongings {
  constructor(private readonly attempts: AttemptsRepository) {
    super();
  }

  async removeOf(projectId: string, limit: number): Promise<RemovalStep> {
    const removed = await this.attempts.removeOf(projectId, limit);
    return { removed, done: removed < limit };
  }
}
