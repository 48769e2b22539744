import { Injectable, Logger } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { SecretVault } from './secret-vault.js';
import { errorMessage } from '../../../platform/errors/index.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

/**
 * A decrypted secret that a header value names. It is kept only until the value is built and the secret is masked in
 * the evidence of the send.
 */
export interface OpenedSecret {
  readonly id: string;
  /** Null when the value is longer than requested or can no longer be decrypted. */
  readonly value: string | null;
  /** Whether the time of the last use must be stored, because the stored time is missing or a minute old. */
  readonly isUseDue: boolean;
}

interface SealedSecret {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly value: string | null;
  readonly isUseDue: boolean;
}

/** In addition to the ciphertext, an envelope has a key id of at most 64 characters, a nonce of 16 and a tag of 22. */
const MOST_OF_HEAD = 128;

const STALE = `(last_used_at IS NULL OR last_used_at <= clock_timestamp() - interval '1 minute')`;

/** Reads secrets for other modules. */
@Injectable()
export class SecretsReader {
  private readonly logger = new Logger('secrets');

  constructor(
    private readonly database: Database,
    private readonly vault: SecretVault,
  ) {}

  /**
   * Returns the present values by name. Names that the project does not have are left out.
   * @param longest in bytes; a longer value is not read
   * @throws CryptographyUnavailableError
   */
  present(scope: Tenant, names: readonly string[], longest: number): Promise<ReadonlyMap<string, OpenedSecret>> {
    return this.open(scope, names, longest, '');
  }

  /** Returns the same as {@link present}. The secrets cannot be deleted until the transaction ends. */
  hold(scope: Tenant, names: readonly string[], longest: number, tx: Db): Promise<ReadonlyMap<string, OpenedSecret>> {
    return this.open(scope, names, longest, 'ORDER BY id FOR KEY SHARE', tx);
  }

  /**
   * Stores the time of use, at most once a minute for each secret. Never rejects: after a failure, the next use is
   * stored.
   */
  async noteUse({ projectId }: Tenant, secrets: readonly Pick<OpenedSecret, 'id' | 'isUseDue'>[]): Promise<void> {
    const due = secrets.flatMap(({ id, isUseDue }) => (isUseDue ? [id] : []));
    if (due.length === 0) return;
    try {
      await this.database.execute(
        `UPDATE project_secrets SET last_used_at = clock_timestamp()
         WHERE project_id = $1 AND id IN (
           SELECT id FROM project_secrets WHERE project_id = $1 AND id = ANY ($2::uuid[]) AND ${STALE}
           ORDER BY id FOR NO KEY UPDATE)`,
        [projectId, due],
      );
    } catch (error) {
      const reason = errorMessage(error);
      this.logger.warn(`last_used_at of ${due.length} secrets was not written: ${reason}`);
    }
  }

  private async open(
    { projectId }: Tenant,
    names: readonly string[],
    longest: number,
    lock: '' | 'ORDER BY id FOR KEY SHARE',
    db?: Db,
  ): Promise<ReadonlyMap<string, OpenedSecret>> {
    if (names.length === 0) return new Map();
    const rows = await this.database.rows<SealedSecret>(
      `SELECT id, name, version, CASE WHEN octet_length(value) <= $3 THEN value END AS value, ${STALE} AS "isUseDue"
       FROM project_secrets WHERE project_id = $1 AND name = ANY ($2::text[]) ${lock}`,
      [projectId, names, MOST_OF_HEAD + Math.ceil((longest * 4) / 3)],
      db,
    );
    return new Map(
      rows.map(({ id, name, version, value, isUseDue }) => [
        name,
        { id, isUseDue, value: value === null ? null : this.vault.open({ projectId }, { id, version, value }) },
      ]),
    );
  }
}
