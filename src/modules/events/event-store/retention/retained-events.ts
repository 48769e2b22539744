import { Injectable } from '@nestjs/common';
import { KNOWN_TO_ALL_MS, RememberedInstant } from './remembered-instant.js';
import { RetentionRepository } from './retention.repository.js';
import { SteadyInstant } from './steady-instant.js';

/** Since when events are kept, as every process knows it: at most a minute late. */
@Injectable()
export class RetainedEvents {
  /** Since when this process reads the same. */
  readonly told = new SteadyInstant(KNOWN_TO_ALL_MS);
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
  async endedBefore(): Promise<Date | null> {
    const from = await this.fromNow();
    return from === null ? null : this.told.of(from);
  }

  /** It has changed. */
  forget(): void {
    this.known.forget();
  }
}
