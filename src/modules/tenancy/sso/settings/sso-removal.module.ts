import { Module } from '@nestjs/common';
import { onOrganizationDeleted } from '../../organizations/index.js';
import { SettingsOfDeletedOrganizationsRepository } from './settings-of-deleted-organizations.repository.js';

/** Removes the sign-in settings of deleted organizations, for the service and for the operators' commands. */
@Module({
  providers: [
    SettingsOfDeletedOrganizationsRepository,
    onOrganizationDeleted(SettingsOfDeletedOrganizationsRepository, (settings, organization, tx) =>
      settings.remove(organization, tx),
    ),
  ],
})
export class SsoRemovalModule {}
