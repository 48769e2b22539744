import { Injectable } from '@nestjs/common';
import { And, LessThan, MoreThanOrEqual } from 'typeorm';
import { type ProjectId, projectOf, type ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { mayBeOrdered } from '../../../delivery/sending/index.js';
import type { DestinationType } from '../drivers/destination-drivers.js';
import { AlertDelivery } from './delivery.entity.js';
import { ALERT_DELIVERY_ROWS } from './due-rows.js';
import { AlertDeliveryNotFound } from '../destinations.errors.js';
import type { AlertDeliveryStatus } from './delivery-transitions.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

export interface DeliveryFilter {
  readonly status?: AlertDeliveryStatus;
  readonly destinationId?: string;
  readonly alertEventId?: string;
  /** Deliveries created at `from` or later, and before `to`. */
  readonly from?: Date;
  readonly to?: Date;
}

export type FailedFilter = Omit<DeliveryFilter, 'status'>;

const EARLIEST = new Date(0);
const LATEST = new Date('9999-01-01T00:00:00Z');

const FAILED = `
  d.project_id = $1 AND d.status = 'failed'
  AND ($2::uuid IS NULL OR d.destination_id = $2)
  AND ($3::uuid IS NULL OR d.alert_event_id = $3)
  AND d.created_at >= $4 AND d.created_at < $5`;

/** SQL that resets a delivery to the state of a new one. */
const ANEW = `
  status = 'pending', retry_count = 0, due_at = clock_timestamp(), completed_at = NULL,
  response_code = NULL, response_summary = NULL, failure_code = NULL, failure_reason = NULL, sent_request = NULL`;

/** Inserts, reads and resets deliveries. {@link SendingEngine} stores the outcomes of their sends. */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly database: Database) {}

  /** Returns a page of deliveries, newest first. */
  async list(
    scope: Tenant,
    filter: DeliveryFilter,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<{ items: AlertDelivery[]; total: number }> {
    const { status, destinationId, alertEventId, from, to } = filter;
    const [items, total] = await this.database.repository(AlertDelivery).findAndCount({
      where: {
        projectId: scope.projectId,
        ...(status !== undefined && { status }),
        ...(destinationId !== undefined && { destinationId }),
        ...(alertEventId !== undefined && { alertEventId }),
        createdAt: And(MoreThanOrEqual(from ?? EARLIEST), LessThan(to ?? LATEST)),
      },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
      skip: offset,
    });
    return { items, total };
  }

  find({ projectId }: Tenant, id: string, db?: Db): Promise<AlertDelivery | null> {
    return this.database.repository(AlertDelivery, db).findOneBy({ projectId, id });
  }

  /** Returns a delivery with its request, which other reads leave out. */
  findDetail({ projectId }: Tenant, id: string): Promise<AlertDelivery | null> {
    return this.database
      .repository(AlertDelivery)
      .createQueryBuilder('d')
      .addSelect('d.sentRequest')
      .where('d.projectId = :projectId AND d.id = :id', { projectId, id })
      .getOne();
  }

  lock({ projectId }: Tenant, id: string, tx: Db): Promise<AlertDelivery | null> {
    return this.database
      .repository(AlertDelivery, tx)
      .findOne({ where: { projectId, id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Inserts a notification and its delivery to each destination, due at once. */
  async insert(
    { projectId }: Tenant,
    notice: {
      readonly id: string;
      readonly alertEventId: string;
      readonly fingerprint: string | null;
      readonly traceparent: string | null;
      readonly json: string;
    },
    deliveries: readonly {
      readonly id: string;
      readonly destination: { readonly id: string; readonly name: string; readonly type: DestinationType };
    }[],
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `WITH notice AS (
         INSERT INTO alert_notices (id, project_id, alert_event_id, notice, created_at)
         VALUES ($1, $2, $3, $4, clock_timestamp()) RETURNING id
       )
       INSERT INTO alert_deliveries
         (id, project_id, notice_id, alert_event_id, destination_id, destination_name, destination_type, fingerprint,
          traceparent, created_at, due_at)
       SELECT d.id, $2, notice.id, $3, d.destination_id, d.name, d.type,
              CASE WHEN ${mayBeOrdered(ALERT_DELIVERY_ROWS, '$2', 'd.destination_id')} THEN $9 END, $10, clock_timestamp(), clock_timestamp()
       FROM notice, unnest($5::uuid[], $6::uuid[], $7::text[], $8::text[]) AS d (id, destination_id, name, type)`,
      [
        notice.id,
        projectId,
        notice.alertEventId,
        notice.json,
        deliveries.map(({ id }) => id),
        deliveries.map(({ destination }) => destination.id),
        deliveries.map(({ destination }) => destination.name),
        deliveries.map(({ destination }) => destination.type),
        notice.fingerprint,
        notice.traceparent,
      ],
      tx,
    );
  }

  /** Resets a failed delivery: it is due at once, and may be sent five times again. */
  async renew({ projectId }: Tenant, id: string, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE alert_deliveries SET ${ANEW} WHERE project_id = $1 AND id = $2 AND status = 'failed'`,
      [projectId, id],
      tx,
    );
  }

  /**
   * Resets at most `limit` failed deliveries whose destination exists and is enabled. Deliveries that failed first are
   * reset first, so that deliveries that fail repeatedly do not keep others from being reset.
   * @returns the id of the destination of each delivery
   */
  async renewAll(scope: Tenant, filter: FailedFilter, limit: number, tx: Db): Promise<string[]> {
    const rows = await this.database.rows<{ destinationId: string }>(
      `UPDATE alert_deliveries SET ${ANEW}
       WHERE id IN (
         SELECT d.id FROM alert_deliveries d
         JOIN alert_destinations t ON t.id = d.destination_id AND t.project_id = d.project_id AND t.is_enabled
         WHERE ${FAILED} ORDER BY d.completed_at, d.id LIMIT $6 FOR UPDATE OF d)
       RETURNING destination_id AS "destinationId"`,
      [...parametersOf(scope, filter), limit],
      tx,
    );
    return rows.map(({ destinationId }) => destinationId);
  }

  async countFailed(scope: Tenant, filter: FailedFilter, tx: Db): Promise<number> {
    const [row] = await this.database.rows<{ total: number }>(
      `SELECT count(*)::int AS total FROM alert_deliveries d WHERE ${FAILED}`,
      parametersOf(scope, filter),
      tx,
    );
    return row?.total ?? 0;
  }

  /**
   * Fails the deliveries that wait for a destination. Deliveries that are being sent are not affected.
   * @param code the failure code and reason
   * @param most the maximum number of deliveries, those that are due first; null: all
   * @returns how many deliveries failed
   */
  abandon({ projectId }: Tenant, destinationId: string, code: string, most: number | null, tx: Db): Promise<number> {
    return this.database.execute(
      `UPDATE alert_deliveries
       SET status = 'failed', due_at = NULL, failure_code = $3, failure_reason = $3, completed_at = clock_timestamp()
       WHERE id IN (
         SELECT id FROM alert_deliveries
         WHERE project_id = $1 AND destination_id = $2 AND due_at IS NOT NULL AND claim_token IS NULL
         ORDER BY due_at, id LIMIT $4 FOR UPDATE)`,
      [projectId, destinationId, code, most],
      tx,
    );
  }

  /** @returns how many deliveries and notifications were deleted */
  async removeOf(projectId: ProjectId, limit: number): Promise<number> {
    const deliveries = await this.database.execute(
      'DELETE FROM alert_deliveries WHERE id IN (SELECT id FROM alert_deliveries WHERE project_id = $1 LIMIT $2)',
      [projectId, limit],
    );
    if (deliveries === limit) return limit;
    const notices = await this.database.execute(
      'DELETE FROM alert_notices WHERE id IN (SELECT id FROM alert_notices WHERE project_id = $1 LIMIT $2)',
      [projectId, limit - deliveries],
    );
    return deliveries + notices;
  }
}

function parametersOf({ projectId }: Tenant, { destinationId, alertEventId, from, to }: FailedFilter): unknown[] {
  return [projectId, destinationId ?? null, alertEventId ?? null, from ?? EARLIEST, to ?? LATEST];
}

export class ProjectOfAlertDelivery extends projectOf('delivery_id', AlertDelivery, AlertDeliveryNotFound) {}
