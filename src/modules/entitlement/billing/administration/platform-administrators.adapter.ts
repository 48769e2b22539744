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
    if (!this.isEnabled()) throw new AdministrationDisabled();
    if (!this.isConfigured()) {
      this.logger.warn('platform administration: PLATFORM_ADMIN_EMAILS holds no addresses, or something else');
      throw new AdministrationNotConfigured();
    }
    if (!(await this.isListed(scope))) throw new PlatformAdministratorRequired();
  }

  async includes(scope: UserScope): Promise<boolean> {
    return this.isEnabled() && this.isConfigured() && (await this.isListed(scope));
  }

  private isEnabled(): boolean {
    return TRUE.has(this.config.billingAdministration?.toLowerCase() ?? '');
  }

  private isConfigured(): boolean {
    const { platformAdminEmails } = this.config;
    return platformAdminEmails.length > 0 && platformAdminEmails.every((address) => ADDRESS.test(address));
  }

  private async isListed({ userId }: UserScope): Promise<boolean> {
    const user = await this.users.findById(userId);
    return user !== null && isPlatformAdministrator(user, this.config.platformAdminEmails);
  }
}
