import { sql } from './sql.js';

/** Makes the creation of an alert rule so many days older. No route moves the clock. */
export async function ageAlertRule(id: string, days: number): Promise<void> {
  await sql('UPDATE alert_rules SET created_at = created_at - make_interval(days => $2) WHERE id = $1', [id, days]);
}
