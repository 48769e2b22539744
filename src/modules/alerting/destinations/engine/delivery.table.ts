import type { ClaimedRow, Held, OutboxTable } from '../../../delivery/sending/index.js';
import type { ProjectOfTemplate } from '../../../delivery/templates/index.js';
import { type ClaimedDelivery, nextDelivery } from '../outbox/delivery-transitions.js';
import { ALERT_DELIVERY_ROWS } from '../outbox/due-rows.js';
import type { AlertDestination } from '../destinations/destination.entity.js';

export type ExpiredDelivery = Held & ClaimedDelivery;

/** A delivery that this process has claimed, with everything that a send needs. */
export interface HeldDelivery
  extends
    ClaimedRow,
    ClaimedDelivery,
    Pick<
      AlertDestination,
      | 'isEnabled'
      | 'targetUrl'
      | 'sealedUrl'
      | 'secret'
      | 'previousSecret'
      | 'previousSecretUntil'
      | 'template'
      | 'templateUrl'
    > {
  /** JSON text, in which numbers keep all their digits. */
  readonly notice: string;
  /** Null: the project is gone. */
  readonly project: ProjectOfTemplate | null;
  /** Null: the destination has been deleted, and its other columns are null too. */
  readonly type: AlertDestination['type'] | null;
}

/** The outbox table of alert deliveries. A claim also reads the destination as it is at the time of the claim. */
export const ALERT_DELIVERIES: OutboxTable<ExpiredDelivery, HeldDelivery> = {
  ...ALERT_DELIVERY_ROWS,
  claimColumns: [],
  claim: () => ({ set: [], evidence: '' }),
  claimed: {
    columns: `
      c.status, c.retry_count AS "retryCount", n.notice::text AS notice, d.type, d.is_enabled AS "isEnabled", d.target_url AS "targetUrl",
      d.sealed_url AS "sealedUrl", d.secret, d.previous_secret AS "previousSecret",
      d.previous_secret_until AS "previousSecretUntil", d.template, d.template_url AS "templateUrl",
      (SELECT json_build_object('name', p.name, 'slug', p.slug, 'organization', o.slug)
       FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE p.id = c.project_id) AS project`,
    joins: `
      JOIN alert_notices n ON n.id = c.notice_id
      LEFT JOIN alert_destinations d ON d.id = c.destination_id AND d.project_id = c.project_id`,
  },
  expired: { columns: 'a.status, a.retry_count AS "retryCount"', joins: '' },
  settle: (_bind, held, outcome) => ({ next: nextDelivery(held, outcome), set: [], evidence: '' }),
  giveBack: () => ({ set: [], evidence: '' }),
};
