import type { DueTable } from '../../sending/index.js';

/** The outbox table of attempts. Attempts of one fingerprint are sent to a channel in order. */
export const ATTEMPT_ROWS: DueTable = { name: 'delivery_attempts', lane: 'channel_id', series: 'fingerprint' };
