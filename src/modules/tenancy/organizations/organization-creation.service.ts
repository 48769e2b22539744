import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { OrganizationId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import type { User } from '../../identity/users/index.js';

/** A new organization, with the row of its owner as it was read under the lock. */
export interface NewOrganization {
  readonly organizationId: OrganizationId;
  readonly owner: User;
}

/**
 * A module extends this class to run code when an organization is created. The code runs in the same transaction, under
 * the lock of the owner's row.
 */
export abstract class OnOrganizationCreated {
  abstract organizationCreated(organization: NewOrganization, tx: Db): Promise<void>;
}

/** Calls all providers of the application that extend {@link OnOrganizationCreated}. */
@Injectable()
export class OrganizationCreationService {
  constructor(private readonly discovery: DiscoveryService) {}

  async run(organization: NewOrganization, tx: Db): Promise<void> {
    for (const { instance } of this.discovery.getProviders())
      if (instance instanceof OnOrganizationCreated) await instance.organizationCreated(organization, tx);
  }
}
