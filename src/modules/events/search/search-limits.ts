import { Injectable } from '@nestjs/common';
import { LONG_READ_MS } from '../long-reads/index.js';

/** Limits of a search, which tests lower. */
@Injectable()
export class SearchLimits {
  /** Time limit for everything except events, in milliseconds. */
  namesMs: number = LONG_READ_MS;
  /**
   * Time limit for events after they have acquired a slot, in milliseconds. Events not scanned by then are reported as
   * missing (`is_partial`).
   */
  eventsMs = 2_000;
  /**
   * Number of rows in the first stretch of the scan. The size of each next stretch follows from the time that the last
   * one took.
   */
  firstRows = 5_000;
}
