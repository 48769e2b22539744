import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ProjectId, ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { providersOf } from '../../../platform/discovery/provider-of.js';
import { type NamedSecret, SecretUses } from './secret-uses.js';
import type { SecretReference } from './secrets.errors.js';

/**
 * Adds up what all implementations of {@link SecretUses} report. Without an implementation, all secrets count as
 * unused.
 */
@Injectable()
export class SecretReferencesService {
  constructor(private readonly discovery: DiscoveryService) {}

  /** Returns how many places use each of the secrets, in the order of the secrets. */
  async counts(scope: ProjectScope, secrets: readonly NamedSecret[], db?: Db): Promise<number[]> {
    const totals = secrets.map(() => 0);
    for (const uses of this.uses) {
      const counts = await uses.counts(scope, secrets, db);
      for (const [at, { id }] of secrets.entries()) totals[at] = (totals[at] ?? 0) + (counts.get(id) ?? 0);
    }
    return totals;
  }

  /** Returns the first places that use the secret, at most `most`. */
  async first(scope: ProjectScope, secret: NamedSecret, most: number, tx: Db): Promise<SecretReference[]> {
    const found: SecretReference[] = [];
    for (const uses of this.uses) {
      if (found.length < most) found.push(...(await uses.of(scope, secret, most - found.length, tx)));
    }
    return found;
  }

  /** Releases the secrets of a deleted project. @returns how many uses ended, fewer than `limit` when no use is left */
  async release(projectId: ProjectId, limit: number): Promise<number> {
    let released = 0;
    for (const uses of this.uses) {
      if (released < limit) released += await uses.release(projectId, limit - released);
    }
    return released;
  }

  private get uses(): SecretUses[] {
    return providersOf(this.discovery, SecretUses);
  }
}
