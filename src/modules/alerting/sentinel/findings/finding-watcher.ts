import type { Db } from '../../../../platform/database/database.js';
import type { Finding } from './finding.entity.js';

/** Who has to hear of findings in the transaction that changes them; found among the providers of modules above. */
export abstract class FindingWatcher {
  /** It opened, or opened again. */
  abstract opened(finding: Finding, tx: Db): Promise<void>;
  /** It goes on: a bucket extended it, or it has no buckets and is not over yet. @param until the end of the bucket */
  abstract extended(finding: Finding, until: Date, tx: Db): Promise<void>;
  /** It was resolved or dismissed. */
  abstract ended(finding: Finding, tx: Db): Promise<void>;
}
