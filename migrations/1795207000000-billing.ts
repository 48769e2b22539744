import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Customers and subscriptions at the payment provider, its events, and what was paid for before an organization exists. */
export class Billing1795207000000 implements MigrationInterface {
  readonly name = 'Billing1795207000000';

  async up(q: QueryRunner): Promise<void> {
    await q.query(`
      ALTER TABLE organizations
        ADD COLUMN payment_customer_id text,
        ADD COLUMN payment_subscription_id text,
        ADD COLUMN payment_subscription_status text,
        ADD COLUMN payment_price_id text,
        ADD COLUMN billing_hold text,
        ADD CONSTRAINT ck_organizations_billing_hold CHECK (billing_hold IN ('blocked', 'suspended')),
        ADD CONSTRAINT uq_organizations_payment_customer_id UNIQUE (payment_customer_id),
        ADD CONSTRAINT uq_organizations_payment_subscription_id UNIQUE (payment_subscription_id)`);
    await q.query(`
      ALTER TABLE users
        ADD COLUMN pending_plan text,
        ADD COLUMN pending_billing_status text,
        ADD COLUMN pending_customer_id text,
        ADD COLUMN pending_subscription_id text,
        ADD COLUMN pending_subscription_status text,
        ADD COLUMN pending_price_id text,
        ADD CONSTRAINT ck_users_pending_plan CHECK (pending_plan IN ('pro', 'scale', 'enterprise')),
        ADD CONSTRAINT uq_users_pending_customer_id UNIQUE (pending_customer_id),
        ADD CONSTRAINT uq_users_pending_subscription_id UNIQUE (pending_subscription_id)`);

    // Every subscription ever seen, so that a late event of an old one says nothing about the present one.
    await q.query(`
      CREATE TABLE payment_subscriptions (
        id text NOT NULL,
        organization_id uuid,
        user_id uuid,
        customer_id text,
        status text NOT NULL,
        price_id text,
        plan text,
        started_at timestamptz NOT NULL,
        seen_at timestamptz NOT NULL,
        seen_kind smallint NOT NULL,
        revision integer NOT NULL DEFAULT 0,
        CONSTRAINT pk_payment_subscriptions PRIMARY KEY (id),
        CONSTRAINT fk_payment_subscriptions_organization_id FOREIGN KEY (organization_id)
          REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT fk_payment_subscriptions_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT ck_payment_subscriptions_holder CHECK (num_nonnulls(organization_id, user_id) = 1),
        CONSTRAINT ck_payment_subscriptions_plan CHECK (plan IN ('pro', 'scale', 'enterprise'))
      )`);
    await q.query(`CREATE INDEX ix_payment_subscriptions_organization_id ON payment_subscriptions (organization_id)`);
    await q.query(`CREATE INDEX ix_payment_subscriptions_user_id ON payment_subscriptions (user_id)`);

    // The payload as received; text, since the database's JSON takes no escaped NUL. It goes with the account it names.
    await q.query(`
      CREATE TABLE payment_events (
        id text NOT NULL,
        type text NOT NULL,
        live_mode boolean NOT NULL,
        payload text NOT NULL,
        received_at timestamptz NOT NULL DEFAULT now(),
        organization_id uuid,
        user_id uuid,
        outcome text,
        processed_at timestamptz,
        failures integer NOT NULL DEFAULT 0,
        last_error text,
        CONSTRAINT pk_payment_events PRIMARY KEY (id),
        CONSTRAINT fk_payment_events_organization_id FOREIGN KEY (organization_id)
          REFERENCES organizations (id) ON DELETE SET NULL,
        CONSTRAINT fk_payment_events_user_id FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT ck_payment_events_outcome CHECK (outcome IN ('applied', 'outdated', 'unmatched', 'ignored')),
        CONSTRAINT ck_payment_events_processed CHECK ((outcome IS NULL) = (processed_at IS NULL))
      )`);
    await q.query(`CREATE INDEX ix_payment_events_organization_id ON payment_events (organization_id, received_at)`);
    await q.query(`CREATE INDEX ix_payment_events_user_id ON payment_events (user_id)`);
  }

  async down(q: QueryRunner): Promise<void> {
    await q.query('DROP TABLE payment_events, payment_subscriptions');
    await q.query(`
      ALTER TABLE users
        DROP COLUMN pending_plan, DROP COLUMN pending_billing_status, DROP COLUMN pending_customer_id,
        DROP COLUMN pending_subscription_id, DROP COLUMN pending_subscription_status, DROP COLUMN pending_price_id`);
    await q.query(`
      ALTER TABLE organizations
        DROP COLUMN billing_hold, DROP COLUMN payment_price_id, DROP COLUMN payment_subscription_status,
        DROP COLUMN payment_subscription_id, DROP COLUMN payment_customer_id`);
  }
}
