import { Injectable } from '@nestjs/common';
import {
  type Capability,
  hasCapability,
  MissingCapability,
  type ProjectMemberScope,
} from '../../platform/access/index.js';
import type { Db } from '../../platform/database/database.js';
import { ProjectActs } from '../projects/index.js';

/** How every act on deliveries begins: as an act on the project, by somebody whose role still allows it. */
@Injectable()
export class DeliveryActs {
  constructor(private readonly acts: ProjectActs) {}

  /** @throws MissingCapability, or what ProjectActs throws, when the caller has lost it meanwhile */
  async begin(scope: ProjectMemberScope, needed: Capability, tx: Db): Promise<void> {
    const { role } = await this.acts.begin(scope, 'viewer', tx);
    if (!hasCapability(role, needed)) throw new MissingCapability(needed);
  }
}
