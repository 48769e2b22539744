import { Injectable } from '@nestjs/common';
import { AuditWriter } from '../../identity/audit/index.js';
import { Database } from '../../../platform/database/database.js';
import { ApiKeysRepository, type FoundKey } from './api-keys.repository.js';
import { KeyAuthenticator } from './key-authenticator.js';

/**
 * Finds and revokes keys for operators of the service. No membership is needed, and a revocation is audited without an
 * actor.
 */
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

  /**
   * Revokes a key. A notification makes every process stop accepting the key.
   * @returns false when the key was revoked before
   */
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
