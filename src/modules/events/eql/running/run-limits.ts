import { Injectable } from '@nestjs/common';
import { LONG_READ_MS } from '../../reads/index.js';

/** What a query may take while it runs; tests make it less. */
@Injectable()
export class RunLimits {
  milliseconds = LONG_READ_MS;
  /** Pieces that are kept at a time: a pending partial is one. */
  pendingPartials = 200_000;
}
