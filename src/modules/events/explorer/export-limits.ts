import { Injectable } from '@nestjs/common';
import { SLOW_CLIENT_LIMITS, type SlowClientLimits } from '../../../platform/http/slow-client.js';

/** Limits how slowly the client of an export may read. */
@Injectable()
export class ExportLimits implements SlowClientLimits {
  stalledMs = SLOW_CLIENT_LIMITS.stalledMs;
  /** The limit applies to each read separately: a client gains no extra time by having been fast before. */
  bytesPerSecond = SLOW_CLIENT_LIMITS.bytesPerSecond;
  longestMs = SLOW_CLIENT_LIMITS.longestMs;
  /** The interval at which an export checks again whether the client may still read the project. */
  askAgainMs = 60_000;
  /**
   * Time without a found event after which an export with a condition sends an empty line. Proxies close connections
   * that are silent for a minute.
   */
  quietMs = 20_000;
}
