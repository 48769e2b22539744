import { Injectable } from '@nestjs/common';
import { LONG_READ_MS } from '../long-reads/index.js';

/** What a search may take while it runs; tests make it less. */
@Injectable()
export class SearchLimits {
  /** For all but events. */
  namesMs: number = LONG_READ_MS;
  /** For events, once they have their turn (DECISIONS 16). */
  eventsMs = 2_000;
  /** Rows that are looked through first; how many are next follows from how long they took. */
  firstRows = 5_000;
}
