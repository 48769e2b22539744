import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { BlobsRepository } from '../blobs/blobs.repository.js';

/** The metrics of stored objects, in addition to those of the store's driver. */
@Injectable()
export class SweepMetrics {
  private readonly forgotten;
  private readonly failures;
  private readonly strange;

  constructor(metrics: Metrics, blobs: BlobsRepository) {
    this.forgotten = metrics.counter('oes_object_storage_swept_total', 'Contents that the store was told to forget');
    this.failures = metrics.counter(
      'oes_object_storage_sweep_failures_total',
      'Contents that the store could not forget yet',
    );
    this.strange = metrics.gauge(
      'oes_object_storage_strangers',
      'What the store held without a row when it was last gone through',
    );
    metrics.gauge(
      'oes_object_storage_blob_bytes',
      'Contents by state: on their way, of objects, to be forgotten',
      ['state'],
      async (gauge) => {
        gauge.reset();
        for (const { state, bytes } of await blobs.bytesByState()) gauge.set({ state }, bytes);
      },
    );
  }

  swept(forgotten: number, failed: number): void {
    this.forgotten.inc(forgotten);
    this.failures.inc(failed);
  }

  strangers(count: number): void {
    this.strange.set(count);
  }
}
