import type { FactoryProvider, Type } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import type { ProjectId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';

export interface RemovalStep {
  /** Number of rows that this call removed. */
  readonly removed: number;
  /** False: rows remain, so another call is needed later. */
  readonly done: boolean;
}

/**
 * Rows of projects that are not deleted by a cascade from the project's row: rows of tables without a foreign key, and
 * of tables that are too large for one statement. {@link ProjectRemovalService} calls every provider that extends this
 * class.
 */
export abstract class ProjectBelongings {
  /** Runs in the transaction that deletes the project, for changes that must not wait until the rows are removed. */
  abstract projectDeleted(projectId: ProjectId, tx: Db): Promise<void>;

  /** Removes up to `limit` rows of a deleted project. Repeated and parallel calls are harmless. */
  abstract removeOf(projectId: ProjectId, limit: number): Promise<RemovalStep>;
}

/** A class that stores rows of projects. */
interface Keeper {
  /**
   * Like {@link ProjectBelongings.removeOf}.
   * @returns the number of removed rows, where fewer than `limit` means that no row is left. If the number does not
   * show this, a {@link RemovalStep}
   */
  removeOf(projectId: ProjectId, limit: number): Promise<number | RemovalStep>;
  /** Like {@link ProjectBelongings.projectDeleted}. */
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
 * Returns a provider for the module of the keeper. It removes the keeper's rows when their project is deleted:
 * `belongsToProject(NotesRepository)`.
 */
export function belongsToProject(keeper: Type<Keeper>): FactoryProvider<ProjectBelongings> {
  return {
    provide: Symbol(`${keeper.name} of deleted projects`),
    inject: [keeper],
    useFactory: (kept: Keeper) => new KeptBelongings(kept),
  };
}

/** Returns all providers of the application that extend {@link ProjectBelongings}. */
export function belongingsOfProjects(discovery: DiscoveryService): ProjectBelongings[] {
  return discovery
    .getProviders()
    .map((provider) => provider.instance as unknown)
    .filter((instance) => instance instanceof ProjectBelongings);
}
