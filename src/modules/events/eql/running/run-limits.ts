import { Injectable } from '@nestjs/common';
import { LONG_READ_MS } from '../../long-reads/index.js';

/**
 * Maximum number of pieces of {@link PendingBudget} that a query keeps at a time. A pending partial is one piece.
 * Beyond the limit, 503 is returned.
 */
export const PENDING_PARTIALS = 200_000;
/**
 * Time limit of each read for warnings, in milliseconds. These reads delay a response whose results are already known.
 */
const WARNING_MS = 1_000;

/**
 * A query that is joined by keys and may end early reads this many candidates first. If they are not enough, ClickHouse
 * is queried for the events of only those keys that may have a result.
 */
const FIRST_SCAN_ROWS = 50_000;

/** The limits of a running query. Tests lower them. */
@Injectable()
export class RunLimits {
  milliseconds: number = LONG_READ_MS;
  pendingPartials: number = PENDING_PARTIALS;
  warningMilliseconds: number = WARNING_MS;
  firstScanRows: number = FIRST_SCAN_ROWS;
}
