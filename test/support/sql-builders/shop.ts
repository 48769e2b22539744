import { sql } from './sql.js';

/**
 * Makes the scheduled retries of a channel wait for ten minutes, which is longer than a test takes. Otherwise a worker
 * sends each one after the seconds of the retry policy.
 */
export async function postponeRetries(channelId: string): Promise<void> {
  await sql(
    `UPDATE delivery_attempts SET due_at = now() + interval '10 minutes'
     WHERE channel_id = $1 AND retry_state = 'scheduled_retry' AND claim_token IS NULL`,
    [channelId],
  );
}
