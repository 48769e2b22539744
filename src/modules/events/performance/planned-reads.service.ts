import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { ReadTime } from '../event-store/index.js';
import { type ReadDeadline, LongSnapshots } from '../long-reads/index.js';

/** Plans a read and runs it, in one snapshot. Such reads take most of their data from rollups. */
@Injectable()
export class PlannedReads {
  constructor(
    private readonly database: Database,
    private readonly snapshots: LongSnapshots,
  ) {}

  /**
   * Plans and runs a read.
   * @param plan decides from the content of the snapshot what `read` reads. Both may be called again, in another
   * snapshot
   * @param signal ends the read, which then throws the signal's reason
   * @throws QueryTooLong, TooManyQueries
   */
  run<P, T>(
    scope: Pick<ProjectScope, 'organizationId' | 'projectId'>,
    plan: (tx: Db) => Promise<P>,
    read: (tx: Db, planned: P, time: ReadTime) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const whole = async (tx: Db, deadline: ReadDeadline): Promise<T> => {
      const time: ReadTime = {
        deadline,
        signal,
        limit: () => this.database.limit(tx, deadline.left()),
        bounds: () => ({ milliseconds: deadline.left(), signal }),
      };
      const planned = await plan(tx);
      await time.limit();
      return read(tx, planned, time);
    };
    return this.snapshots.run(scope, whole, { signal });
  }
}
