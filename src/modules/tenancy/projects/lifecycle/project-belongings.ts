export interface RemovalStep {
  /** How many rows this call removed. */
  readonly removed: number;
  /** False: more is there, to be removed by the next call or at a later time. */
  readonly done: boolean;
}

/**
 * What a module keeps of projects and a cascade from the project's row must not remove in one go: tables without
 * a foreign key, and large ones. Every provider that extends this is asked by {@link ProjectRemoval}.
 */
export abstract class ProjectBelongings {
  /** Removes up to `limit` rows of a deleted project. Doing it twice, or at the same time, does no harm. */
  abstract removeOf(projectId: string, limit: number): Promise<RemovalStep>;
}
