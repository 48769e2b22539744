import { Injectable } from '@nestjs/common';
import { asOrganizationId, type OrganizationId, type OrganizationScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { NotificationBus } from '../../../platform/database/notification-bus.js';

const CHANNEL = 'organization_changed';

/**
 * Notifies every process that an organization's plan, billing status or limits have changed. Caches then drop their
 * entry for this organization.
 */
@Injectable()
export class OrganizationChangesNotifier {
  constructor(private readonly notifications: NotificationBus) {}

  /** Sends the notification when the transaction that changes the organization commits. */
  async announce({ organizationId }: Pick<OrganizationScope, 'organizationId'>, tx: Db): Promise<void> {
    await this.notifications.publish(CHANNEL, organizationId, tx);
  }

  /** @returns a function that ends the subscription */
  subscribe(handler: (organizationId: OrganizationId) => void): () => void {
    return this.notifications.subscribe(CHANNEL, (id) => handler(asOrganizationId(id)));
  }
}
