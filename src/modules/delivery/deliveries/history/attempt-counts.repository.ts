import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { DeliveryCounts, type DeliveryTotals } from '../../../events/dashboard/index.js';
import type { TimeWindow } from '../../../events/event-store/index.js';

/** Counts the attempts created in a time window by their outcome so far. Pending attempts are not counted. */
@Injectable()
export class AttemptCountsRepository extends DeliveryCounts {
  constructor(private readonly database: Database) {
    super();
  }

  async count({ projectId }: ProjectScope, { from, to }: TimeWindow): Promise<DeliveryTotals> {
    const [row] = await this.database.rows<DeliveryTotals>(
      `SELECT count(*) FILTER (WHERE status = 'sent')::float8 AS sent,
              count(*) FILTER (WHERE status = 'failed')::float8 AS failed,
              count(*) FILTER (WHERE status = 'failed' AND retry_state = 'dlq')::float8 AS dlq
       FROM delivery_attempts WHERE project_id = $1 AND created_at >= $2 AND created_at < $3`,
      [projectId, from, to],
    );
    return row ?? { sent: 0, failed: 0, dlq: 0 };
  }
}
