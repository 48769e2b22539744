import { defineJob, JobHandler, type JobProcessor, type NoPayload } from '../../../../platform/queue/index.js';
import { ObjectStore } from '../../../../platform/storage/index.js';
import { SweepMetrics } from './sweep-metrics.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';

const WEEK_MS = 7 * 24 * 3600 * 1000;
/** The timeout for listing the store. A run that takes longer fails and reports no count. */
const LONGEST_MS = 3600 * 1000;

export const objectStorageScrubJob = defineJob<NoPayload, { processed: number }>({
  name: 'object-storage-scrub',
  every: { ms: WEEK_MS, payload: {} },
});

/**
 * Counts the blobs in the store that have no row. None of them is removed, because somebody may know why it is there.
 */
@JobHandler(objectStorageScrubJob)
export class StrangerCountProcessor implements JobProcessor<NoPayload, { processed: number }> {
  constructor(
    private readonly store: ObjectStore,
    private readonly blobs: BlobsRepository,
    private readonly metrics: SweepMetrics,
  ) {}

  async run(): Promise<{ processed: number }> {
    let [seen, strangers] = [0, 0];
    for await (const ids of this.store.blobs(AbortSignal.timeout(LONGEST_MS))) {
      seen += ids.length;
      strangers += (await this.blobs.strangersAmong(ids)).length;
    }
    this.metrics.strangers(strangers);
    return { processed: seen };
  }
}
