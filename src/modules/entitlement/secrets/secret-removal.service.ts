import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ProjectId } from '../../access/index.js';
import { providerOf } from '../../../platform/discovery/provider-of.js';
import type { RemovalStep } from '../../tenancy/projects/index.js';
import { NO_USES, SecretUses } from './secret-uses.js';
import { SecretsRepository } from './secrets.repository.js';

/** Removes the secrets of a deleted project, after the headers that use them have released them. */
@Injectable()
export class SecretRemovalService {
  constructor(
    private readonly secrets: SecretsRepository,
    private readonly discovery: DiscoveryService,
  ) {}

  async removeOf(projectId: ProjectId, limit: number): Promise<RemovalStep> {
    const released = await (providerOf(this.discovery, SecretUses) ?? NO_USES).release(projectId, limit);
    if (released >= limit) return { removed: released, done: false };
    return { removed: released + (await this.secrets.removeAll(projectId)), done: true };
  }
}
