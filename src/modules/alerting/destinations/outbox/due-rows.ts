import type { DueTable } from '../../../delivery/sending/index.js';

/** Where alert deliveries wait to be sent: in order of each fingerprint to one destination. */
export const ALERT_DELIVERY_ROWS: DueTable = {
  name: 'alert_deliveries',
  lane: 'destination_id',
  series: 'fingerprint',
};
