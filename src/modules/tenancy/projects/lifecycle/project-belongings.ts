import type { FactoryProvider, Type } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import type { ProjectId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';

export interface RemovalStep {
  /** How many rows this call removed. */
  readonly removed: number;
  /** False: more is there, to be removed by the next call or at a later time. */
  readonly done: boolean;
}

/**
 * What a module keeps of projects and a cascade from the project's row must not remove in one go: tables without
 * a foreign key, and large ones. Every provider that extends this is asked by {@link ProjectRemovalService}.
 */
export abstract class ProjectBelongings {
  /** In the transaction that deletes the project, for what has to hold when the deletion is answered. */
  abstract projectDeleted(projectId: ProjectId, tx: Db): Promise<void>;

  /** Removes up to `limit` rows of a deleted project. Doing it twice, or at the same time, does no harm. */
  abstract removeOf(projectId: ProjectId, limit: number): Promise<RemovalStep>;
}

/** Whoever keeps rows of projects. */
interface Keeper {
  /**
   * As {@link ProjectBelongings.removeOf}.
   * @returns how many rows were removed, fewer than `limit` when none is left; a step where the number does not tell
   */
  removeOf(projectId: ProjectId, limit: number): Promise<number | RemovalStep>;
  /** As {@link ProjectBelongings.projectDeleted}. */
  projectDeleted?(projectId: ProjectId, tx: Db): Promise<void>;
}

class KeptBelongings extends ProjectBelongings {
  constructor(private readonly keeper: Keeper) {
    super();
  }

  async projectDeleted(projectId: ProjectId, tx: Db): Promise<void> {
    await this.keeper.projectDeleted?.(projectId, tx);
  }

  async removeOf(projectId: ProjectId, limit: number): Promise<RemovalStep> {
    const step = await this.keeper.removeOf(projectId, limit);
    return typeof step === 'number' ? { removed: step, done: step < limit } : step;
  }
}

/** A provider for the keeper's module, by which its rows go with their project: `belongsToProject(NotesRepository)`. */
export function belongsToProject(keeper: Type<Keeper>): FactoryProvider<ProjectBelongings> {
  return {
    provide: Symbol(`${keeper.name} of deleted projects`),
    inject: [keeper],
    useFactory: (kept: Keeper) => new KeptBelongings(kept),
  };
}

/** Those of the whole application. */
export function belongingsOfProjects(discovery: DiscoveryService): ProjectBelongings[] {
  return discovery
    .getProviders()
    .map((provider) => provider.instance as unknown)
    .filter((instance) => instance instanceof ProjectBelongings);
}
