import { Injectable } from '@nestjs/common';
import { ProjectBelongings, type RemovalStep } from '../../../tenancy/projects/index.js';
import { AlertEventsRepository } from './alert-events.repository.js';

/** Alert events and their timelines go in batches; silences go with the project's row. */
@Injectable()
export class AlertsOfDeletedProjects extends ProjectBelongings {
  constructor(private readonly events: AlertEventsRepository) {
    super();
  }

  async removeOf(projectId: string, limit: number): Promise<RemovalStep> {
    const removed = await this.events.removeOf(projectId, limit);
    return { removed, done: removed < limit };
  }
}
