import { Injectable } from '@nestjs/common';
import type { OrganizationId, OrganizationScope, UserId } from '../../../../access/index.js';
import { Database, type Db } from '../../../../../platform/database/database.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** A token as it is listed, without its hash. */
export interface ListedScimToken {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
}

export interface FoundScimToken {
  readonly id: string;
  readonly organizationId: OrganizationId;
  /** Whether the stored time of the last use is missing or at least a minute old. */
  readonly isUseStale: boolean;
}

const COLUMNS = 'id, name, created_at AS "createdAt", last_used_at AS "lastUsedAt", expires_at AS "expiresAt"';
const LIVE = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())';

/** Stores SCIM tokens. All times come from the database clock. */
@Injectable()
export class ScimTokensRepository {
  constructor(private readonly database: Database) {}

  /**
   * Finds a valid token of an organization that is not deleted. The hash is looked up in an index, so no secret is
   * compared.
   */
  async find(hash: Buffer): Promise<FoundScimToken | null> {
    const [row] = await this.database.rows<FoundScimToken>(
      `SELECT t.id, t.organization_id AS "organizationId",
              t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute' AS "isUseStale"
       FROM scim_tokens t JOIN organizations o ON o.id = t.organization_id AND o.deleted_at IS NULL
       WHERE t.token_hash = $1 /* tenant: whoever shows the token */
         AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`,
      [hash],
    );
    return row ?? null;
  }

  /** Stores the time of a use, at most once a minute. */
  async markUsed({ organizationId, id }: Pick<FoundScimToken, 'organizationId' | 'id'>): Promise<void> {
    await this.database.execute(
      `UPDATE scim_tokens SET last_used_at = now()
       WHERE organization_id = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
      [organizationId, id],
    );
  }

  /** Returns the valid tokens of an organization, newest first. */
  list({ organizationId }: Tenant, db?: Db): Promise<ListedScimToken[]> {
    return this.database.rows<ListedScimToken>(
      `SELECT ${COLUMNS} FROM scim_tokens WHERE organization_id = $1 AND ${LIVE} ORDER BY created_at DESC, id DESC`,
      [organizationId],
      db,
    );
  }

  async insert(
    { organizationId }: Tenant,
    token: { id: string; name: string; hash: Buffer; createdBy: UserId; expiresAt: Date | null },
    tx: Db,
  ): Promise<ListedScimToken> {
    const [row] = await this.database.rows<ListedScimToken>(
      `INSERT INTO scim_tokens (id, organization_id, name, token_hash, created_by, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
      [token.id, organizationId, token.name, token.hash, token.createdBy, token.expiresAt],
      tx,
    );
    if (row === undefined) throw new Error('the stored token was not returned');
    return row;
  }

  /** Revokes a valid token. @returns its name, or null when the organization has no such token */
  async revoke({ organizationId }: Tenant, id: string, tx: Db): Promise<string | null> {
    const [row] = await this.database.rows<{ name: string }>(
      `UPDATE scim_tokens SET revoked_at = now() WHERE organization_id = $1 AND id = $2 AND ${LIVE} RETURNING name`,
      [organizationId, id],
      tx,
    );
    return row?.name ?? null;
  }
}
