import { Injectable, Logger } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { SecretVault } from './secret-vault.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

/** A secret that a value names, in plain: it lives as long as the value is built and what came of it cleaned of it. */
export interface OpenedSecret {
  readonly id: string;
  /** Null: longer than was asked for, or it cannot be opened any more. */
  readonly value: string | null;
  /** Whether its last use is to be written down: the one that stands is a minute old. */
  readonly isUseDue: boolean;
}

interface SealedSecret {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly value: string | null;
  readonly isUseDue: boolean;
}

/** Beside the ciphertext an envelope has a key id of 64 characters at most, a nonce of 16 and a tag of 22. */
const MOST_OF_HEAD = 128;

const STALE = `(last_used_at IS NULL OR last_used_at <= clock_timestamp() - interval '1 minute')`;

/** What other modules may have of secrets. */
@Injectable()
export class SecretsReader {
  private readonly logger = new Logger('secrets');

  constructor(
    private readonly database: Database,
    private readonly vault: SecretVault,
  ) {}

  /**
   * The present values by name, of those that the project has.
   * @param longest bytes; a longer value is not even read
   * @throws CryptographyUnavailableError
   */
  present(scope: Tenant, names: readonly string[], longest: number): Promise<ReadonlyMap<string, OpenedSecret>> {
    return this.open(scope, names, longest, '');
  }

  /** As {@link present}; they cannot be deleted until the transaction ends. */
  hold(scope: Tenant, names: readonly string[], longest: number, tx: Db): Promise<ReadonlyMap<string, OpenedSecret>> {
    return this.open(scope, names, longest, 'ORDER BY id FOR KEY SHARE', tx);
  }

  /** Writes down that they were used, at most once a minute each. Never rejects: what is lost is written by the next use. */
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
      const reason = error instanceof Error ? error.message : 'unknown';
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
