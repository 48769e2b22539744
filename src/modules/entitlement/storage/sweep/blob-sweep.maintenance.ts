import { Injectable, Logger } from '@nestjs/common';
import { ObjectStore, StoreUnavailable } from '../../../../platform/storage/index.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { SweepMetrics } from './sweep-metrics.js';
import { UploadAbortionService } from '../uploads/upload-abortion.service.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';

const AT_ONCE = 8;
const BATCH = 200;
/** Limits a round. The remaining work waits for the next round, a minute later. */
const BATCHES_A_ROUND = 20;

/**
 * Ends uploads that nobody will finish, and removes blobs from the store that no object uses. The bytes are removed
 * before the row. If a process dies in between, the removal is repeated, and no bytes are left without a row.
 */
@Injectable()
export class BlobSweepMaintenance extends MaintenanceTask {
  private readonly logger = new Logger('storage');

  constructor(
    private readonly uploads: UploadAbortionService,
    private readonly blobs: BlobsRepository,
    private readonly store: ObjectStore,
    private readonly metrics: SweepMetrics,
  ) {
    super();
  }

  async maintain(): Promise<number> {
    const expired = await this.inBatches((limit) => this.uploads.expire(limit));
    const abandoned = await this.inBatches((limit) => this.blobs.abandonStale(limit));
    return expired + abandoned + (await this.inBatches((limit) => this.forget(limit)));
  }

  private async inBatches(take: (limit: number) => Promise<number>): Promise<number> {
    let done = 0;
    for (let batch = 0; batch < BATCHES_A_ROUND; batch += 1) {
      const taken = await take(BATCH);
      done += taken;
      if (taken < BATCH) break;
    }
    return done;
  }

  /**
   * Removes doomed blobs from the store. Removals that fail are repeated in a later round; those that succeed are not.
   */
  private async forget(limit: number): Promise<number> {
    const doomed = await this.blobs.takeDoomed(limit);
    const forgotten: string[] = [];
    const failures: unknown[] = [];
    const waiting = [...doomed];
    const work = async (): Promise<void> => {
      for (let blob = waiting.shift(); blob !== undefined; blob = waiting.shift()) {
        try {
          await this.store.remove(blob.id, blob.uploadToken);
          forgotten.push(blob.id);
        } catch (error) {
          if (!(error instanceof StoreUnavailable)) throw error;
          failures.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (forgotten.length > 0) await this.blobs.forget(forgotten);
    this.metrics.swept(forgotten.length, failures.length);
    if (failures.length > 0) this.logger.error(failures[0]);
    // Blobs that failed are not due again in this round.
    return forgotten.length;
  }
}
