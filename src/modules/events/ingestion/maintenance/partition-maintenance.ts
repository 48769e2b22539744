import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/index.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { PartitionsWriter, RetainedEvents } from '../../event-store/index.js';

/**
 * How many months ahead partitions are created. The partition of the previous month is created too, unless the default
 * partition already has rows of that month.
 */
const MONTHS_AHEAD = 3;

/** Creates the monthly partitions of `events` ahead of time. Older events are stored in the default partition. */
@Injectable()
export class PartitionMaintenance extends MaintenanceTask implements OnModuleInit {
  private readonly logger = new Logger('partitions');

  constructor(
    private readonly partitions: PartitionsWriter,
    private readonly retained: RetainedEvents,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** Creates partitions before the first request, so that no event of this month is stored in the default partition. */
  async onModuleInit(): Promise<void> {
    await this.ensure();
  }

  async maintain(): Promise<number> {
    return (await this.ensure()).length;
  }

  /**
   * Creates missing partitions. Several processes may call this at once. @returns the names of the created partitions
   */
  async ensure(): Promise<string[]> {
    const made: string[] = [];
    const now = this.clock.now();
    const retainedFrom = await this.retained.from();
    for (let offset = -1; offset <= MONTHS_AHEAD; offset += 1) {
      const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
      const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset + 1, 1));
      // Retention has dropped the partition of this month.
      if (retainedFrom !== null && to <= retainedFrom) continue;
      const name = `events_${from.toISOString().slice(0, 7).replace('-', '_')}`;
      const outcome = await this.partitions.make({ name, from, to });
      if (outcome === 'made') made.push(name);
      if (outcome === 'taken') {
        this.logger.warn(`${name} was not made: the default partition already holds events of that month`);
      }
    }
    if (made.length > 0) this.logger.log(`made ${made.join(', ')}`);
    return made;
  }
}
