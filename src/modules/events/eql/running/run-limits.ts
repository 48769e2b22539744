import { Injectable } from '@nestjs/common';
import { LONG_READ_MS } from '../../long-reads/index.js';

/** Pieces that a query keeps at a time: a pending partial is one. */
export const PENDING_PARTIALS = 200_000;
/** What each look for names that may be mistaken takes at most, in milliseconds: the query has been answered then. */
const WARNING_MS = 1_000;

/** Of a query that is joined by keys, before ClickHouse is asked for the events of those keys alone that there may be a result of. */
const FIRST_CANDIDATES = 50_000;

/** What a query may take while it runs; tests make it less. */
@Injectable()
export class RunLimits {
  milliseconds: number = LONG_READ_MS;
  pendingPartials: number = PENDING_PARTIALS;
  warningMilliseconds: number = WARNING_MS;
  firstCandidates: number = FIRST_CANDIDATES;
}
