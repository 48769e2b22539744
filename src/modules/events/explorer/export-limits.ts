import { Injectable } from '@nestjs/common';
import { SLOW_CLIENT_LIMITS, type SlowClientLimits } from '../../../platform/http/slow-client.js';

/** How long an export bears with its client. */
@Injectable()
export class ExportLimits implements SlowClientLimits {
  stalledMs = SLOW_CLIENT_LIMITS.stalledMs;
  /** Of each read: who was fast before gains nothing by it. */
  bytesPerSecond = SLOW_CLIENT_LIMITS.bytesPerSecond;
  longestMs = SLOW_CLIENT_LIMITS.longestMs;
  /** Whether the client may still read the project is asked so often. */
  askAgainMs = 60_000;
}
