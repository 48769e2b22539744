import { sql } from './sql.js';

/** Returns the row of an organization. No route shows its customer and its subscription at the payment provider. */
export async function organizationRow(id: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await sql<Record<string, unknown>>('SELECT * FROM organizations WHERE id = $1', [id]);
  return row;
}

/** Returns the stored row of an event of the payment provider. No route shows it. */
export async function paymentEventRow(id: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await sql<Record<string, unknown>>('SELECT * FROM payment_events WHERE id = $1', [id]);
  return row;
}

/** Returns the plan of the first organization that an account will create. No route shows it. */
export async function pendingPlan(userId: string): Promise<object | undefined> {
  const [row] = await sql<object>('SELECT pending_plan, pending_billing_status FROM users WHERE id = $1', [userId]);
  return row;
}

/** Gives an organization any billing status. Most of them come only from the payment provider. */
export async function setBillingStatus(organizationId: string, status: string): Promise<void> {
  await sql('UPDATE organizations SET billing_status = $2 WHERE id = $1', [organizationId, status]);
}

/** Gives an organization a customer of the payment provider, as an earlier checkout does. */
export async function setCustomer(organizationId: string, customerId: string): Promise<void> {
  await sql('UPDATE organizations SET payment_customer_id = $2 WHERE id = $1', [organizationId, customerId]);
}

/** Stores the usage of an organization in this UTC month. Over HTTP each use is a request. */
export async function storeMonthlyUse(
  organizationId: string,
  { events, requests = 0 }: { events: number; requests?: number },
): Promise<void> {
  await sql(
    `INSERT INTO organization_months (organization_id, month, events, requests)
     VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, $2, $3)
     ON CONFLICT (organization_id, month) DO UPDATE SET events = excluded.events, requests = excluded.requests`,
    [organizationId, events, requests],
  );
}
