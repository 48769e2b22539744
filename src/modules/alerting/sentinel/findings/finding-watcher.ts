import type { ProjectId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import type { ListedFinding } from './finding-columns.js';

/** What happened to a finding. */
export type FindingChange =
  /** It opened, or opened again. */
  | { readonly move: 'opened'; readonly finding: ListedFinding }
  /** It goes on: a bucket extended it, or it has no buckets and is not over yet. `until` is the end of the bucket. */
  | { readonly move: 'extended'; readonly finding: ListedFinding; readonly until: Date }
  /** It was resolved or dismissed. */
  | { readonly move: 'ended'; readonly finding: ListedFinding };

/** Who has to hear of findings in the transaction that changes them; found among the providers of modules above. */
export abstract class FindingWatcher {
  /** @param changes of one project, each of another finding */
  abstract changed(projectId: ProjectId, changes: readonly FindingChange[], tx: Db): Promise<void>;
}
