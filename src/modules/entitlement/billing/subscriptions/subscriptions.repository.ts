import { Injectable } from '@nestjs/common';
import type { OrganizationId, UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { PaymentSubscription } from './payment-subscription.entity.js';

/** The holder of a subscription: an organization, or a person who has none yet. */
export type Holder = { readonly organizationId: OrganizationId } | { readonly userId: UserId };

/** Stores subscriptions by their holder. A writer must have locked the row of the organization or person. */
@Injectable()
export class SubscriptionsRepository {
  constructor(private readonly database: Database) {}

  find(id: string, db?: Db): Promise<PaymentSubscription | null> {
    return this.database.repository(PaymentSubscription, db).findOneBy({ /* tenant: told by the provider's id */ id });
  }

  listOf(holder: Holder, tx: Db): Promise<PaymentSubscription[]> {
    return this.database.repository(PaymentSubscription, tx).findBy(/* tenant: the holder */ holder);
  }

  async save(subscription: Omit<PaymentSubscription, 'revision'>, tx: Db): Promise<void> {
    const { id, organizationId, userId, customerId, status, priceId, plan, wasPaid } = subscription;
    const { startedAt, seenAt, seenKind } = subscription;
    await this.database.execute(
      `INSERT INTO payment_subscriptions
         (id, organization_id, user_id, customer_id, status, price_id, plan, was_paid, started_at, seen_at, seen_kind)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       ON CONFLICT ON CONSTRAINT pk_payment_subscriptions DO UPDATE SET
         organization_id = excluded.organization_id, user_id = excluded.user_id, customer_id = excluded.customer_id,
         status = excluded.status, price_id = excluded.price_id, plan = excluded.plan, was_paid = excluded.was_paid,
         started_at = excluded.started_at, seen_at = excluded.seen_at, seen_kind = excluded.seen_kind, revision = payment_subscriptions.revision + 1`,
      [id, organizationId, userId, customerId, status, priceId, plan, wasPaid, startedAt, seenAt, seenKind],
      tx,
    );
  }

  /** Moves all subscriptions of a person to their organization. */
  async handOver(userId: UserId, organizationId: OrganizationId, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE payment_subscriptions SET organization_id = $2, user_id = NULL, revision = revision + 1
       WHERE user_id = $1`,
      [userId, organizationId],
      tx,
    );
  }
}
