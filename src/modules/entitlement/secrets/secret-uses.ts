import type { ProjectId, ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';

/** A protected header whose value names a secret. */
export interface SecretUse {
  readonly channelId: string;
  readonly channelName: string;
  readonly headerName: string;
}

/** Tells where secrets are used. Provided by whoever uses them; without one they are used nowhere. */
export abstract class SecretUses {
  /** How many headers use each secret; those that nothing uses are left out. */
  abstract counts(scope: ProjectScope, db?: Db): Promise<ReadonlyMap<string, number>>;

  /** The first headers that use it. */
  abstract of(scope: ProjectScope, secretId: string, most: number, tx: Db): Promise<SecretUse[]>;

  /** Lets go of the secrets of a deleted project. @returns how many uses ended, fewer than `limit` when none is left */
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
