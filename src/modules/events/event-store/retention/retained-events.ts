import { Injectable } from '@nestjs/common';
import { RememberedInstant } from './remembered-instant.js';
import { RetentionRepository } from './retention.repository.js';

/** Since when events are kept, as every process knows it: at most a minute late. */
@Injectable()
export class RetainedEvents {
  private readonly known = new RememberedInstant(() => this.retention.retainedFrom());

  constructor(private readonly retention: RetentionRepository) {}

  /** The beginning of a UTC month; null: every event is kept. */
  from(): Promise<Date | null> {
    return this.known.get();
  }

  /** As {@link from}, at this moment. */
  fromNow(): Promise<Date | null> {
    return this.retention.retainedFrom();
  }

  /** What is older may be removed: every process knows by now. Null: nothing is. */
  endedBefore(): Promise<Date | null> {
    return this.retention.endedBefore();
  }

  /** It has changed. */
  forget(): void {
    this.known.forget();
  }
}
