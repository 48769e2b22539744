import type { ProjectId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import type { ListedFinding } from './finding-columns.js';

/** A change of a finding. */
export type FindingChange =
  /** The finding opened or reopened. */
  | { readonly move: 'opened'; readonly finding: ListedFinding }
  /**
   * The finding continues until the end of a bucket, `until`: the bucket extended it, or no bucket evaluates its kind.
   */
  | { readonly move: 'extended'; readonly finding: ListedFinding; readonly until: Date }
  /** The finding was resolved or dismissed. */
  | { readonly move: 'ended'; readonly finding: ListedFinding };

/**
 * Handles changes of findings in the transaction that makes them. A module that imports this one provides the
 * implementation.
 */
export abstract class FindingWatcher {
  /** @param changes changes of one project, one for each finding */
  abstract changed(projectId: ProjectId, changes: readonly FindingChange[], tx: Db): Promise<void>;
}
