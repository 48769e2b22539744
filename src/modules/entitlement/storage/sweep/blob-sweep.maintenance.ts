import { Injectable, Logger } from '@nestjs/common';
import { ObjectStore, StoreUnavailable } from '../../../../platform/storage/index.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { SweepMetrics } from './sweep-metrics.js';
import { UploadAbortionService } from '../uploads/upload-abortion.service.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';

const AT_ONCE = 8;
const BATCH = 200;
/** Bounds a round; what is left waits for the next one, a minute later. */
const BATCHES_A_ROUND = 20;

/**
 * Ends what nobody is going to finish, and has the store forget what no object has any more. The bytes go before the row,
 * so whoever dies in between leaves work that is done once more, and never bytes that nobody knows of.
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

  /** A store that fails is asked again in a later round; what it did forget is not asked for twice. */
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
    // What has failed is kept from the next batches of this round, too.
    return forgotten.length;
  }
}
