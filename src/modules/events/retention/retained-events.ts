import { Injectable } from '@nestjs/common';
import { RetentionRepository } from './retention.repository.js';

/** Less than what passes until older rows go. */
const KNOWN_FOR_MS = 60_000;

/** Since when events are kept, as every process knows it: at most a minute late. */
@Injectable()
export class RetainedEvents {
  private known: { readonly from: Promise<Date | null>; readonly until: number } | undefined;

  constructor(private readonly retention: RetentionRepository) {}

  /** The beginning of a UTC month; null: every event is kept. */
  from(): Promise<Date | null> {
    const now = performance.now();
    if (this.known !== undefined && now < this.known.until) return this.known.from;
    const known = { from: this.retention.retainedFrom(), until: now + KNOWN_FOR_MS };
    this.known = known;
    known.from.catch(() => {
      if (this.known === known) this.known = undefined;
    });
    return known.from;
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
    this.known = undefined;
  }
}
