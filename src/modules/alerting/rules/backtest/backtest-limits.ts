import { Injectable } from '@nestjs/common';

/** The limits of one back-test. */
@Injectable()
export class BacktestLimits {
  /** A back-test runs at most this long, after its wait in the queue. The answer then holds the results so far. */
  mostMs = 10_000;
  /** Fetching archived events takes at most this part of {@link mostMs}. */
  stagingMs = 5_000;
  /** A back-test of a `match` rule ends after this many matching events. */
  mostEvents = 5_000;
  firings = 500;
  /** The `values` of all firings together take at most this many bytes of JSON text. */
  toldBytes = 4 * 1024 * 1024;
  /** A page of candidate events has at most this many. A back-test of an `anomaly` rule reads no more findings. */
  pageEvents = 500;
  /** Events that are read together take at most this many bytes. A single event may be larger. */
  readBytes = 1024 * 1024;
}
