import { Injectable } from '@nestjs/common';
import type { OrganizationId, ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import type { SourceHook } from './source-hook.entity.js';

/** The Event Source of a webhook. The secret is encrypted. */
export interface HookIdentity extends Pick<SourceHook, 'scheme' | 'secret' | 'header' | 'encoding' | 'prefix'> {
  readonly sourceId: string;
  readonly projectId: ProjectId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly isEnabled: boolean;
}

/** Reads the Event Source that an address for webhooks belongs to. */
@Injectable()
export class SourceHooksReader {
  constructor(private readonly database: Database) {}

  /** @param hash the SHA-256 of the 16 bytes of the address */
  async identify(hash: Buffer): Promise<HookIdentity | null> {
    const [row] = await this.database.rows<HookIdentity>(
      `SELECT h.id AS "sourceId", h.project_id AS "projectId", p.organization_id AS "organizationId", s.name,
              s.is_enabled AS "isEnabled", h.scheme, h.secret, h.header, h.encoding, h.prefix
       FROM source_hooks h JOIN event_sources s ON s.id = h.id JOIN projects p ON p.id = h.project_id
       WHERE sha256(h.address) = $1 /* tenant: whoever knows the address */ AND p.deleted_at IS NULL`,
      [hash],
    );
    return row ?? null;
  }
}
