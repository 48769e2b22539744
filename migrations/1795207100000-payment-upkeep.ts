import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The end of old events of the payment provider, and of the customers of closed accounts. */
export class PaymentUpkeep1795207100000 implements MigrationInterface {
  readonly name = 'PaymentUpkeep1795207100000';

  async up(q: QueryRunner): Promise<void> {
    await q.query('CREATE INDEX ix_payment_events_received_at ON payment_events (received_at)');
    await q.query(`
      CREATE TABLE payment_customer_removals (
        customer_id text NOT NULL,
        requested_at timestamptz NOT NULL DEFAULT now(),
        tries integer NOT NULL DEFAULT 0,
        next_try_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_payment_customer_removals PRIMARY KEY (customer_id)
      )`);
    await q.query('CREATE INDEX ix_payment_customer_removals_next_try_at ON payment_customer_removals (next_try_at)');
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP TABLE payment_customer_removals');
    await q.query('DROP INDEX ix_payment_events_received_at');
  }
}
