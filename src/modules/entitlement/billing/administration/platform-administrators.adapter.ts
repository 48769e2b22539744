import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import {
  AdministrationDisabled,
  AdministrationNotConfigured,
  PlatformAdministratorRequired,
  PlatformAdministrators,
  type UserScope,
} from '../../../access/index.js';
import { isPlatformAdministrator, UsersReader } from '../../../identity/users/index.js';

const TRUE = new Set(['true', '1', 'yes', 'on']);
const ADDRESS = /^[^@\s]+@[^@\s]+$/;

/** Admits the users with the configured email addresses while platform administration is enabled. */
@Injectable()
export class PlatformAdministratorsAdapter extends PlatformAdministrators {
  private readonly logger = new Logger('billing');

  constructor(
    private readonly users: UsersReader,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    super();
  }

  async admit(scope: UserScope): Promise<void> {
    const { billingAdministration, platformAdminEmails } = this.config;
    if (!TRUE.has(billingAdministration?.toLowerCase() ?? '')) throw new AdministrationDisabled();
    if (platformAdminEmails.length === 0 || !platformAdminEmails.every((address) => ADDRESS.test(address))) {
      this.logger.warn('platform administration: PLATFORM_ADMIN_EMAILS holds no addresses, or something else');
      throw new AdministrationNotConfigured();
    }
    const user = await this.users.findById(scope.userId);
    if (user === null || !isPlatformAdministrator(user, platformAdminEmails)) throw new PlatformAdministratorRequired();
  }
}
