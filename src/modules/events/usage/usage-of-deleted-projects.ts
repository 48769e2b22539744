import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/index.js';
import { ProjectBelongings, type RemovalStep } from '../../tenancy/projects/index.js';
import { monthOf } from '../../entitlement/quotas/index.js';
import { UsageRepository } from './usage.repository.js';

/** Keeps the current month until it is over: deleting a project does not give the organization its allowance back. */
@Injectable()
export class UsageOfDeletedProjects extends ProjectBelongings {
  constructor(
    private readonly usage: UsageRepository,
    private readonly clock: Clock,
  ) {
    super();
  }

  async removeOf(projectId: string): Promise<RemovalStep> {
    const { removed, left } = await this.usage.removeBefore(projectId, monthOf(this.clock.now()).fromDay);
    return { removed, done: left === 0 };
  }
}
