import type { FactoryProvider, Type } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import type { ProjectId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';

export interface RemovalStep {
  /** Number of rows that this call removed. */
  readonly removed: number;
  /** False: rows remain, for the next call or for a later time. */
  readonly done: boolean;
}

/**
 * Rows of projects that a cascade from the project's row must not delete at once: tables without a foreign key, and
 * large tables. {@link ProjectRemovalService} calls every provider that extends this class.
 */
export abstract class ProjectBelongings {
  /** Runs in the transaction that deletes the project, for what must be true once the deletion is answered. */
  abstract projectDeleted(projectId: ProjectId, tx: Db): Promise<void>;

  /** Removes up to `limit` rows of a deleted project. Calling it twice or in parallel is harmless. */
  abstract removeOf(projectId: ProjectId, limit: number): Promise<RemovalStep>;
}

/** A class that stores rows of projects. */
interface Keeper {
  /**
   * As {@link ProjectBelongings.removeOf}.
   * @returns how many rows were removed: fewer than `limit` means that none is left. A {@link RemovalStep} where the
   * number does not show that.
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

/**
 * Returns a provider for the keeper's module that removes its rows with their project:
 * `belongsToProject(NotesRepository)`.
 */
export function belongsToProject(keeper: Type<Keeper>): FactoryProvider<ProjectBelongings> {
  return {
    provide: Symbol(`${keeper.name} of deleted projects`),
    inject: [keeper],
    useFactory: (kept: Keeper) => new KeptBelongings(kept),
  };
}

/** Returns the belongings of every module of the application. */
export function belongingsOfProjects(discovery: DiscoveryService): ProjectBelongings[] {
  return discovery
    .getProviders()
    .map((provider) => provider.instance as unknown)
    .filter((instance) => instance instanceof ProjectBelongings);
}
