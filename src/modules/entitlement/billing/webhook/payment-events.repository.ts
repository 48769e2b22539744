import { Injectable } from '@nestjs/common';
import type { OrganizationId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { LockedHolder } from '../subscriptions/subscriptions.service.js';
import { type Outcome, PaymentEvent } from './payment-event.entity.js';

/** Stores events of the payment provider. Their organization or person is not known when they arrive. */
@Injectable()
export class PaymentEventsRepository {
  constructor(private readonly database: Database) {}

  /** Stores an event, unless it is stored already. @returns when the event was first received */
  async keep(event: Pick<PaymentEvent, 'id' | 'type' | 'liveMode' | 'payload'>): Promise<Date> {
    const [row] = await this.database.rows<{ receivedAt: Date }>(
      `INSERT INTO payment_events AS e (id, type, live_mode, payload) /* tenant: not known yet */ VALUES ($1, $2, $3, $4)
       ON CONFLICT ON CONSTRAINT pk_payment_events DO UPDATE SET id = e.id
       RETURNING received_at AS "receivedAt"`,
      [event.id, event.type, event.liveMode, event.payload],
    );
    if (row === undefined) throw new Error('an event that was kept is there');
    return row.receivedAt;
  }

  /** Returns null when the event was deleted with its account. */
  find(id: string): Promise<PaymentEvent | null> {
    return this.database.repository(PaymentEvent).findOneBy({ /* tenant: not known yet */ id });
  }

  /** Locks the event's row until the transaction ends, so that only one of many deliveries processes the event. */
  lock(id: string, tx: Db): Promise<PaymentEvent | null> {
    return this.database
      .repository(PaymentEvent, tx)
      .findOne({ where: { /* tenant: not known yet */ id }, lock: { mode: 'pessimistic_write' } });
  }

  async finish(id: string, outcome: Outcome, holder: LockedHolder | null, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE payment_events SET outcome = $2, processed_at = clock_timestamp(), organization_id = $3, user_id = $4
       WHERE id = $1 /* tenant: not known before */`,
      [
        id,
        outcome,
        holder?.kind === 'organization' ? holder.organization.id : null,
        holder?.kind === 'person' ? holder.user.id : null,
      ],
      tx,
    );
  }

  /** Deletes the events of a deleted organization, because they contain data about people and cards. */
  async forgetAllOf(organizationId: OrganizationId, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM payment_events WHERE organization_id = $1', [organizationId], tx);
  }

  /**
   * Deletes the oldest events that were received more than 90 days ago.
   * @returns the number of deleted events, at most `limit`
   */
  forgetOld(limit: number): Promise<number> {
    return this.database.execute(
      `DELETE /* every tenant: what is old */ FROM payment_events WHERE id = ANY (ARRAY(
         SELECT id FROM payment_events WHERE received_at < now() - interval '90 days'
         ORDER BY received_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [limit],
    );
  }

  async noteFailure(id: string, error: string): Promise<void> {
    await this.database.execute(
      'UPDATE payment_events SET failures = failures + 1, last_error = $2 WHERE id = $1 /* tenant: not known yet */ AND processed_at IS NULL',
      [id, error.slice(0, 500)],
    );
  }
}
