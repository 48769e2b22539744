import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { UsersReader } from '../../identity/users/index.js';
import type { Invitation } from './invitation.entity.js';

/** Checks whether a person is the invited one. Their verified address must be the address of the invitation. */
@Injectable()
export class InvitedPersonFinder {
  constructor(private readonly users: UsersReader) {}

  async isThis(scope: UserScope, invitation: Invitation, db?: Db): Promise<boolean> {
    const user = await this.users.findById(scope.userId, db);
    return user !== null && user.emailVerifiedAt !== null && user.emailKey === invitation.emailKey;
  }
}
