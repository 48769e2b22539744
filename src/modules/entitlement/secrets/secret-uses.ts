import type { ProjectId, ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import type { SecretReference } from './secrets.errors.js';

export interface NamedSecret {
  readonly id: string;
  readonly name: string;
}

/**
 * Reports where secrets are used. Each module that uses secrets provides an implementation for its own places. A place
 * begins to use a secret in a transaction that holds the secret (`SecretsReader.hold`). A deletion locks the secret
 * before it reads the uses, so that it sees every use.
 */
export abstract class SecretUses {
  /** Returns how many places use each of the secrets, by the id of the secret. Unused secrets may be left out. */
  abstract counts(scope: ProjectScope, secrets: readonly NamedSecret[], db?: Db): Promise<ReadonlyMap<string, number>>;

  /** Returns the first places that use the secret, at most `most`. */
  abstract of(scope: ProjectScope, secret: NamedSecret, most: number, tx: Db): Promise<SecretReference[]>;

  /** Releases the secrets of a deleted project. @returns how many uses ended, fewer than `limit` when no use is left */
  abstract release(projectId: ProjectId, limit: number): Promise<number>;
}
