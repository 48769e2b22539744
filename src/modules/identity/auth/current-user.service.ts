import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { NotAuthenticated } from '../../../platform/http/domain-error.js';
import type { UserScope } from '../../access/index.js';
import { FactorInventoryReader } from '../second-factors/index.js';
import { isPlatformAdministrator, UsersReader } from '../users/index.js';
import { type MeResponse, meResponse } from './auth.dto.js';

/** Returns the record of the signed-in user. */
@Injectable()
export class CurrentUserService {
  constructor(
    private readonly users: UsersReader,
    private readonly factors: FactorInventoryReader,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async get(scope: UserScope): Promise<MeResponse> {
    const user = await this.users.findById(scope.userId);
    if (user === null) throw new NotAuthenticated();
    const isAdmin = isPlatformAdministrator(user, this.config.platformAdminEmails);
    return meResponse(user, isAdmin, await this.factors.of(user.id));
  }
}
