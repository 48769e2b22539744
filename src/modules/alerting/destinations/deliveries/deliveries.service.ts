import { Inject, Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { Database } from '../../../../platform/database/database.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct, ProjectAuthorization } from '../../../tenancy/projects/index.js';
import {
  AlertDeliveryNotFailed,
  AlertDeliveryNotFound,
  DestinationIsDisabled,
  DestinationIsGone,
} from '../destinations.errors.js';
import { DestinationsRepository } from '../destinations/destinations.repository.js';
import { ALERT_DELIVERY_ENGINE, type AlertDeliveryEngine } from '../engine/delivery.outbox.js';
import {
  type AlertDeliveriesQuery,
  type AlertDeliveriesResponse,
  alertDeliveryDetailResponse,
  type AlertDeliveryDetailResponse,
  alertDeliveryResponse,
  type AlertDeliveryResponse,
  type RetryFailedRequest,
  type RetryFailedResponse,
} from './deliveries.dto.js';
import { DeliveriesRepository } from '../outbox/deliveries.repository.js';

/** One request retries at most this many deliveries. */
const MOST_RETRIED = 1_000;
const WINDOW_MS = 86_400_000;

/**
 * Lists and retries alert deliveries. A retry resets a failed delivery to the state of a new one. The audit record
 * keeps how the delivery failed.
 */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveriesRepository,
    private readonly destinations: DestinationsRepository,
    @Inject(ALERT_DELIVERY_ENGINE) private readonly engine: AlertDeliveryEngine,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
    private readonly clock: Clock,
  ) {}

  async list(scope: ProjectScope, query: AlertDeliveriesQuery): Promise<AlertDeliveriesResponse> {
    const { status, destination_id: destinationId, alert_event_id: alertEventId, from_ts: from, to_ts: to } = query;
    const { limit, offset } = query;
    const filter = { status, destinationId, alertEventId, from, to };
    const { items, total } = await this.deliveries.list(scope, filter, { limit, offset });
    return { items: items.map(alertDeliveryResponse), total, limit, offset };
  }

  async get(scope: ProjectMemberScope, id: string): Promise<AlertDeliveryDetailResponse> {
    const delivery = await this.deliveries.findDetail(scope, id);
    if (delivery === null) throw new AlertDeliveryNotFound();
    return alertDeliveryDetailResponse(scope, delivery);
  }

  async retry(scope: ProjectMemberScope, id: string): Promise<AlertDeliveryResponse> {
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const delivery = await this.deliveries.lock(scope, id, tx);
      if (delivery === null) throw new AlertDeliveryNotFound();
      if (delivery.status !== 'failed') throw new AlertDeliveryNotFailed();
      const { destinationId, retryCount: retry_count, failureReason: failure_reason } = delivery;
      const [held] = await this.destinations.share(scope, [destinationId], tx);
      if (held === undefined) throw new DestinationIsGone();
      if ((await this.destinations.find(scope, held, tx))?.isEnabled !== true) throw new DestinationIsDisabled();
      await this.deliveries.renew(scope, id, tx);
      const detail = { destination_id: destinationId, retry_count, failure_reason };
      const target = { type: 'alert_delivery', id };
      await this.audit.record(projectAct(scope, 'alert_delivery.retried', detail, target), tx);
      this.engine.wakeAfterCommit([{ tenant: scope.projectId, lane: destinationId }], tx);
      const renewed = await this.deliveries.find(scope, id, tx);
      if (renewed === null) throw new AlertDeliveryNotFound();
      return alertDeliveryResponse(renewed);
    });
  }

  async retryFailed(scope: ProjectMemberScope, request: RetryFailedRequest): Promise<RetryFailedResponse> {
    const to = request.to_ts ?? this.clock.now();
    const from = request.from_ts ?? new Date(to.getTime() - WINDOW_MS);
    if (from >= to) throw brokenRule(['body', 'from_ts'], 'from_ts must lie before to_ts', from.toISOString());
    const { destination_id: destinationId, alert_event_id: alertEventId } = request;
    const filter = { destinationId, alertEventId, from, to };
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const renewed = await this.deliveries.renewAll(scope, filter, MOST_RETRIED, tx);
      const remaining = await this.deliveries.countFailed(scope, filter, tx);
      if (renewed.length > 0) {
        const window = { from_ts: from.toISOString(), to_ts: to.toISOString() };
        const detail = { retried: renewed.length, ...window, destination_id: destinationId ?? null };
        await this.audit.record(projectAct(scope, 'alert_delivery.failed_retried', detail), tx);
        this.engine.wakeAfterCommit(
          renewed.map((destinationId) => ({ tenant: scope.projectId, lane: destinationId })),
          tx,
        );
      }
      return { retried: renewed.length, remaining };
    });
  }
}
