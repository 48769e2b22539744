import { Injectable } from '@nestjs/common';
import { AuditWriter } from '../../identity/audit/index.js';
import { Database } from '../../../platform/database/database.js';
import { ApiKeysRepository, type FoundKey } from './api-keys.repository.js';
import { KeyAuthenticator } from './key-authenticator.js';

/** Acts of the operators of the service on keys. They need no membership, and are audited without an actor. */
@Injectable()
export class KeyAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeysRepository,
    private readonly authenticator: KeyAuthenticator,
    private readonly audit: AuditWriter,
  ) {}

  find(idOrPrefix: string, limit: number): Promise<FoundKey[]> {
    return this.keys.findByIdOrPrefix(idOrPrefix, limit);
  }

  /** Revokes a key. Every process stops accepting it by a notification. @returns false when it was revoked before */
  async revoke({ id, projectId, organizationId }: FoundKey): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      if (!(await this.keys.revoke({ projectId, organizationId }, id, tx))) return false;
      await this.audit.record(
        {
          actorUserId: null,
          organizationId,
          projectId,
          action: 'api_key.revoked',
          targetType: 'api_key',
          targetId: id,
        },
        tx,
      );
      await this.authenticator.announceChange(id, tx);
      return true;
    });
  }
}
