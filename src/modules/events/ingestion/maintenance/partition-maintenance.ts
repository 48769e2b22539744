import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/index.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { PartitionsWriter, RetainedEvents } from '../../event-store/index.js';

/** Months made ahead of now; a month before it is made too while the default partition has none of its rows. */
const MONTHS_AHEAD = 3;

/** Keeps the monthly partitions of `events` ahead of time. Older events live in the default partition. */
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

  /** Before the first request, so that no event of this month can reach the default partition first. */
  async onModuleInit(): Promise<void> {
    await this.ensure();
  }

  async maintain(): Promise<number> {
    return (await this.ensure()).length;
  }

  /** Idempotent; several processes may call it at once. @returns names of the partitions made */
  async ensure(): Promise<string[]> {
    const made: string[] = [];
    const now = this.clock.now();
    const retainedFrom = await this.retained.from();
    for (let offset = -1; offset <= MONTHS_AHEAD; offset += 1) {
      const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1));
      const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset + 1, 1));
      // It was dropped.
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
