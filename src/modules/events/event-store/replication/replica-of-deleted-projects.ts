import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { type ClickHouse, shortReason } from '../../../../platform/clickhouse/index.js';
import { LogThrottle } from '../../../../platform/telemetry/index.js';
import type { RemovalStep } from '../../../tenancy/projects/index.js';
import { CLICKHOUSE_SERVER } from '../clickhouse-server.js';
import { ReplicatedEventsRepository } from './replicated-events.repository.js';
import { ReplicationStateRepository } from './replication-state.repository.js';

/**
 * Removes the replicated events of deleted projects, once none of them can still be replicated. The project's row is
 * removed after that, so the removal is retried until it succeeds.
 */
@Injectable()
export class ReplicaOfDeletedProjects {
  private readonly logger = new Logger('event-store');
  private readonly seldom = new LogThrottle();
  private readonly stored: ReplicatedEventsRepository | null;

  constructor(
    private readonly replicationState: ReplicationStateRepository,
    @Inject(CLICKHOUSE_SERVER) server: ClickHouse | null,
  ) {
    this.stored = server === null ? null : new ReplicatedEventsRepository(server);
  }

  async removeOf(projectId: ProjectId, limit: number): Promise<RemovalStep> {
    if (!(await this.replicationState.isBegun())) return { removed: 0, done: true };
    const archived = await this.replicationState.forgetArchived(projectId, limit);
    const { removed, isEmpty } = await this.replicationState.removeOf(projectId, limit);
    return { removed: archived + removed, done: archived === 0 && isEmpty && (await this.isRemoved(projectId)) };
  }

  private async isRemoved(projectId: ProjectId): Promise<boolean> {
    // Another process may be configured with the ClickHouse that has the events.
    if (this.stored === null) return false;
    try {
      return await this.stored.removeOf(projectId);
    } catch (error) {
      // An error must not delay the removal of other projects.
      this.seldom.happened('removal', (times) =>
        this.logger.warn(
          `copies of a deleted project stay: ${shortReason(error)}, ${times} times since the last such line`,
        ),
      );
      return false;
    }
  }
}
