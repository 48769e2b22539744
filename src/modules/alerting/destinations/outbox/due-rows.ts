import type { DueTable } from '../../../delivery/sending/index.js';

/** The outbox table of alert deliveries. Deliveries of one fingerprint are sent to a destination in order. */
export const ALERT_DELIVERY_ROWS: DueTable = {
  name: 'alert_deliveries',
  lane: 'destination_id',
  series: 'fingerprint',
};
