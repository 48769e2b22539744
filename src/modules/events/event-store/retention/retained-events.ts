import { Injectable } from '@nestjs/common';
import { KNOWN_TO_ALL_MS, CachedWatermark } from './cached-watermark.js';
import { RetentionRepository } from './retention.repository.js';
import { DebouncedWatermark } from './debounced-watermark.js';

/** The start of retention. Cached for up to a minute. */
@Injectable()
export class RetainedEvents {
  /** Measures how long this process has read the same value. */
  readonly announced = new DebouncedWatermark(KNOWN_TO_ALL_MS);
  private readonly known = new CachedWatermark(() => this.retention.retainedFrom());

  constructor(private readonly retention: RetentionRepository) {}

  /** The start of a UTC month. Null when every event is retained. */
  from(): Promise<Date | null> {
    return this.known.get();
  }

  /** Returns {@link from} without the cache. */
  fromNow(): Promise<Date | null> {
    return this.retention.retainedFrom();
  }

  /**
   * Returns the instant before which events may be removed, because every process knows it by now. Null when nothing
   * may be removed.
   */
  async endedBefore(): Promise<Date | null> {
    const from = await this.fromNow();
    return from === null ? null : this.announced.of(from);
  }

  /** Drops the cached value after a change. */
  forget(): void {
    this.known.forget();
  }
}
