import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { OnCredentialsReset, type WayIn } from '../sessions/index.js';
import { OAuthIdentitiesRepository } from './oauth-identities.repository.js';

/** Reports the linked providers when a password is reset. The links stay, and the mail to the owner lists them. */
@Injectable()
export class IdentitiesResetHandler extends OnCredentialsReset {
  constructor(private readonly identities: OAuthIdentitiesRepository) {
    super();
  }

  async credentialsReset(userId: UserId, tx: Db): Promise<WayIn[]> {
    const linked = await this.identities.of(userId, tx);
    return linked.map(({ issuer, linkedAt }) => ({
      kind: 'sign-in provider',
      addedAt: linkedAt,
      removed: false,
      detail: { issuer },
    }));
  }
}
