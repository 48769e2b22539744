import { Inject, Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { stringifyExact } from '../../../platform/json/index.js';
import { DestinationsRepository } from './destinations/destinations.repository.js';
import { type AlertNotification, storedNotification } from './drivers/alert-notification.js';
import { TYPES_HEARING_ALL } from './drivers/destination-drivers.js';
import { ALERT_DELIVERY_ENGINE, type AlertDeliveryEngine } from './engine/delivery.outbox.js';
import { DeliveriesRepository } from './outbox/deliveries.repository.js';

/** The destinations that an alert notifies. */
type DestinationTargets =
  /** Every enabled destination of a type that gets all alerts: the webhooks. */
  | { readonly kind: 'project' }
  /** The enabled destinations of the list, of any type. */
  | { readonly kind: 'linked'; readonly destinationIds: readonly string[] };

/**
 * Notifies destinations for other modules. It inserts deliveries in the transaction of the caller, and they are sent
 * after its commit.
 */
@Injectable()
export class AlertDeliveryRequestService {
  constructor(
    private readonly destinations: DestinationsRepository,
    private readonly deliveries: DeliveriesRepository,
    @Inject(ALERT_DELIVERY_ENGINE) private readonly engine: AlertDeliveryEngine,
  ) {}

  /**
   * Inserts a delivery for each destination. Deleted and disabled destinations are skipped.
   * @param tx the transaction of the caller, which `Database.transaction` began
   * @returns the ids of the deliveries
   */
  async request(alert: AlertNotification, targets: DestinationTargets, tx: Db): Promise<string[]> {
    if (targets.kind === 'linked' && targets.destinationIds.length === 0) return [];
    const which = targets.kind === 'project' ? { types: TYPES_HEARING_ALL } : { ids: targets.destinationIds };
    const destinations = await this.destinations.shareEnabled(alert, which, tx);
    if (destinations.length === 0) return [];
    const made = destinations.map((destination) => ({ id: newId(), destination }));
    const { alertEventId, fingerprint = null, traceparent } = alert;
    const notification = {
      id: newId(),
      alertEventId,
      fingerprint,
      traceparent,
      json: stringifyExact(storedNotification(alert)),
    };
    await this.deliveries.insert(alert, notification, made, tx);
    this.engine.wakeAfterCommit(
      destinations.map(({ id: lane }) => ({ tenant: alert.projectId, lane })),
      tx,
    );
    return made.map(({ id }) => id);
  }

  /**
   * Returns the ids that are not destinations of the project. The given destinations that exist cannot be deleted until
   * the transaction ends.
   */
  async unknown(scope: Pick<ProjectScope, 'projectId'>, ids: readonly string[], tx: Db): Promise<string[]> {
    const known = new Set(ids.length === 0 ? [] : await this.destinations.share(scope, ids, tx));
    return ids.filter((id) => !known.has(id));
  }
}
