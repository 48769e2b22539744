import { Injectable } from '@nestjs/common';
import { ProjectBelongings, type RemovalStep } from '../../tenancy/projects/index.js';
import { EventsRepository } from './events.repository.js';

/** Events have no foreign key to their project, and there may be many. */
@Injectable()
export class EventsOfDeletedProjects extends ProjectBelongings {
  constructor(private readonly events: EventsRepository) {
    super();
  }

  async removeOf(projectId: string, limit: number): Promise<RemovalStep> {
    const outbox = await this.events.removeOutbox(projectId, limit);
    if (outbox > 0) return { removed: outbox, done: false };
    const removed = await this.events.removeOldest(projectId, limit);
    return { removed, done: removed < limit };
  }
}
