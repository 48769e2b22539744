import type { DeliveryClient, Json } from './delivery-api.js';
import { eventually } from './eventually.js';
import { job } from './service.js';
import { makeDue } from './sql-builders/delivery.js';

/**
 * Makes the scheduled retry of an attempt due, and waits until the retry has ended. @returns the attempt after the
 * retry
 */
export async function retried(delivery: DeliveryClient, attemptId: string): Promise<Json> {
  const before = await delivery.audits(attemptId);
  await makeDue(attemptId);
  await job('delivery-retries');
  await eventually(
    () => delivery.audits(attemptId),
    (audits) => audits.length > before.length && audits.every(({ finished_at }) => finished_at !== null),
  );
  return delivery.attempt(attemptId);
}
