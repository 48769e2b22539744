import { Injectable } from '@nestjs/common';
import type { OrganizationId, UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { NotificationBus } from '../../../platform/database/notification-bus.js';

const CHANNEL = 'membership_changed';

/** A person joined an organization, got another role in it or left it. */
export interface MembershipChange {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
}

/**
 * Notifies every process of changed memberships. Subscribers are objects that live longer than a request, such as open
 * streams. A stream then reads the membership again with `MembershipReader`, and closes when the role is no longer
 * sufficient. Notifications are lost while the connection is down, so streams must also read the membership again on
 * `NotificationBus.onReconnect`.
 */
@Injectable()
export class MembershipNotifier {
  constructor(private readonly notifications: NotificationBus) {}

  /** Sends the notification when the transaction that changes the membership commits. */
  async publish(change: MembershipChange, tx: Db): Promise<void> {
    await this.publishAll([change], tx);
  }

  /** Sends the notifications when the transaction that changes the memberships commits. */
  async publishAll(changes: readonly MembershipChange[], tx: Db): Promise<void> {
    const payloads = changes.map(({ userId, organizationId }) =>
      JSON.stringify({ user_id: userId, organization_id: organizationId }),
    );
    await this.notifications.publishAll(CHANNEL, payloads, tx);
  }

  /** @returns a function that ends the subscription */
  subscribe(handler: (change: MembershipChange) => void | Promise<void>): () => void {
    return this.notifications.subscribe(CHANNEL, (payload) => {
      const { user_id, organization_id } = JSON.parse(payload) as { user_id: UserId; organization_id: OrganizationId };
      return handler({ userId: user_id, organizationId: organization_id });
    });
  }
}
