import { sql } from './sql.js';

/** The row of an organization. No route shows its customer and its subscription at the payment provider. */
export async function organizationRow(id: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await sql<Record<string, unknown>>('SELECT * FROM organizations WHERE id = $1', [id]);
  return row;
}

/** What is stored of an event of the payment provider. No route shows it. */
export async function paymentEventRow(id: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await sql<Record<string, unknown>>('SELECT * FROM payment_events WHERE id = $1', [id]);
  return row;
}

/** The plan that the first organization of an account will have. No route shows it. */
export async function pendingPlan(userId: string): Promise<object | undefined> {
  const [row] = await sql<object>('SELECT pending_plan, pending_billing_status FROM users WHERE id = $1', [userId]);
  return row;
}

/** Gives an organization any billing status. Most of them come only from the payment provider. */
export async function setBillingStatus(organizationId: string, status: string): Promise<void> {
  await sql('UPDATE organizations SET billing_status = $2 WHERE id = $1', [organizationId, status]);
}

/** Gives an organization a customer of the payment provider, as a checkout does that began in the past. */
export async function setCustomer(organizationId: string, customerId: string): Promise<void> {
  await sql('UPDATE organizations SET payment_customer_id = $2 WHERE id = $1', [organizationId, customerId]);
}

/** Stores what an organization has used in this UTC month. Over HTTP that is a request for each use. */
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
