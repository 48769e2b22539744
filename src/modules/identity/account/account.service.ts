import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../access/index.js';
import { Database } from '../../../platform/database/database.js';
import { CurrentUserService, type MeResponse } from '../auth/index.js';
import { SecurityEventsReader, SecurityEventsWriter } from '../security-events/index.js';
import type { Client } from '../sessions/index.js';
import { ProfilesWriter, UsersReader } from '../users/index.js';
import {
  securityEventResponse,
  type SecurityEventsQuery,
  type SecurityEventsResponse,
  type UpdateAccountRequest,
} from './account.dto.js';

/** Reads and changes the parts of the caller's own account that need no proof. */
@Injectable()
export class AccountService {
  constructor(
    private readonly database: Database,
    private readonly users: UsersReader,
    private readonly profiles: ProfilesWriter,
    private readonly currentUser: CurrentUserService,
    private readonly events: SecurityEventsWriter,
    private readonly history: SecurityEventsReader,
  ) {}

  /** Updates the profile. A field that is left out keeps its value. */
  async update(scope: UserScope, { name }: UpdateAccountRequest, client: Client): Promise<MeResponse> {
    if (name !== undefined) {
      await this.database.transaction(async (tx) => {
        const user = await this.users.lock(scope.userId, tx);
        if (user.name === name) return;
        await this.profiles.rename(user.id, name, tx);
        await this.events.record(
          { userId: user.id, type: 'profile_updated', client, detail: { fields: ['name'] } },
          tx,
        );
      });
    }
    return this.currentUser.get(scope);
  }

  async securityEvents(scope: UserScope, { limit, offset }: SecurityEventsQuery): Promise<SecurityEventsResponse> {
    const [events, total] = await this.history.list(scope, { limit, offset });
    return { items: events.map(securityEventResponse), total, limit, offset };
  }
}
