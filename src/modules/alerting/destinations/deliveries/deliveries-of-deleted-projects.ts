import { Injectable } from '@nestjs/common';
import { ProjectBelongings, type RemovalStep } from '../../../tenancy/projects/index.js';
import { DeliveriesRepository } from '../outbox/deliveries.repository.js';

/** Deliveries and notices go in batches; destinations go with the project's row. */
@Injectable()
export class DeliveriesOfDeletedProjects extends ProjectBelongings {
  constructor(private readonly deliveries: DeliveriesRepository) {
    super();
  }

  async removeOf(projectId: string, limit: number): Promise<RemovalStep> {
    const removed = await this.deliveries.removeOf(projectId, limit);
    return { removed, done: removed < limit };
  }
}
