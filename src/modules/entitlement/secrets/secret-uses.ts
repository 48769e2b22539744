import type { ProjectId, ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';

/** A protected header whose value names a secret. */
export interface SecretUse {
  readonly channelId: string;
  readonly channelName: string;
  readonly headerName: string;
}

/**
 * Reports where secrets are used. The module that uses secrets provides the implementation; without one, all secrets
 * are unused.
 */
export abstract class SecretUses {
  /** Returns how many headers use each secret. Unused secrets are left out. */
  abstract counts(scope: ProjectScope, db?: Db): Promise<ReadonlyMap<string, number>>;

  /** Returns the first headers that use the secret, at most `most`. */
  abstract of(scope: ProjectScope, secretId: string, most: number, tx: Db): Promise<SecretUse[]>;

  /** Releases the secrets of a deleted project. @returns how many uses ended, fewer than `limit` when no use is left */
  abstract release(projectId: ProjectId, limit: number): Promise<number>;
}

export const NO_USES: SecretUses = new (class extends SecretUses {
  counts(): Promise<ReadonlyMap<string, number>> {
    return Promise.resolve(new Map());
  }

  of(): Promise<SecretUse[]> {
    return Promise.resolve([]);
  }

  release(): Promise<number> {
    return Promise.resolve(0);
  }
})();
