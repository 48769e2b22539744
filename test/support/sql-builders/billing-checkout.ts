import { eventually } from '../eventually.js';
import { sql } from './sql.js';

/** The columns that billing stores with an organization. */
interface OrganizationBilling {
  plan: string;
  billing_status: string;
  payment_customer_id: string | null;
  payment_subscription_id: string | null;
  payment_subscription_status: string | null;
  payment_price_id: string | null;
}

/** The columns that billing stores with an account that has no organization yet. */
interface PendingBilling {
  pending_plan: string | null;
  pending_billing_status: string | null;
  pending_customer_id: string | null;
  pending_subscription_id: string | null;
  pending_subscription_status: string | null;
  pending_price_id: string | null;
}

/** Reads the stored billing state of an organization. Routes show only the plan and the billing status. */
export async function organizationBilling(id: string): Promise<OrganizationBilling> {
  const [row] = await sql<OrganizationBilling>(
    `SELECT plan, billing_status, payment_customer_id, payment_subscription_id, payment_subscription_status,
            payment_price_id
     FROM organizations WHERE id = $1`,
    [id],
  );
  if (row === undefined) throw new Error(`there is no organization ${id}`);
  return row;
}

/** Reads the stored billing state of an account without an organization. Routes show only the plan. */
export async function pendingBilling(userId: string): Promise<PendingBilling> {
  const [row] = await sql<PendingBilling>(
    `SELECT pending_plan, pending_billing_status, pending_customer_id, pending_subscription_id,
            pending_subscription_status, pending_price_id
     FROM users WHERE id = $1`,
    [userId],
  );
  if (row === undefined) throw new Error(`there is no account ${userId}`);
  return row;
}

/** Counts the stored row of a subscription and the events that name it. No route shows those of a deleted account. */
export async function storedOfSubscription(id: string): Promise<{ subscriptions: number; events: number }> {
  const subscriptions = await sql('SELECT 1 FROM payment_subscriptions WHERE id = $1', [id]);
  const events = await sql('SELECT 1 FROM payment_events WHERE position($1::text IN payload) > 0', [id]);
  return { subscriptions: subscriptions.length, events: events.length };
}

/**
 * Waits until the current transactions of the service have ended. A transaction that a request left open never ends. No
 * route shows transactions. Connections of tests have no application name.
 */
export async function openTransactionsEnded(): Promise<void> {
  const [clock] = await sql<{ now: string }>('SELECT clock_timestamp()::text AS now');
  await eventually(
    () =>
      sql(
        `SELECT query FROM pg_stat_activity
         WHERE datname = current_database() AND application_name <> '' AND state LIKE 'idle in transaction%'
           AND xact_start <= $1::timestamptz`,
        [clock?.now],
      ),
    (open) => open.length === 0,
    (open) => `transactions are still open after ${JSON.stringify(open)}`,
  );
}
