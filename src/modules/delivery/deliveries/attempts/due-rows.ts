import type { DueTable } from '../../sending/index.js';

/** Where attempts wait to be sent: in order of each fingerprint to one channel. */
export const ATTEMPT_ROWS: DueTable = { name: 'delivery_attempts', lane: 'channel_id', series: 'fingerprint' };
