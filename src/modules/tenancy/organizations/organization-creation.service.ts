import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { OrganizationId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import type { User } from '../../identity/users/index.js';

/** A new organization, with its owner's row as it was locked. */
export interface NewOrganization {
  readonly organizationId: OrganizationId;
  readonly owner: User;
}

/** A module's part of an organization's beginning, in the same transaction, under the lock of the owner's row. */
export abstract class OnOrganizationCreated {
  abstract organizationCreated(organization: NewOrganization, tx: Db): Promise<void>;
}

/** Every provider of the application that is an {@link OnOrganizationCreated}. */
@Injectable()
export class OrganizationCreationService {
  constructor(private readonly discovery: DiscoveryService) {}

  async run(organization: NewOrganization, tx: Db): Promise<void> {
    for (const { instance } of this.discovery.getProviders())
      if (instance instanceof OnOrganizationCreated) await instance.organizationCreated(organization, tx);
  }
}
