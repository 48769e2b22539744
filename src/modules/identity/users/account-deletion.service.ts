import { type FactoryProvider, Injectable, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { domainError, type ErrorDetail } from '../../../platform/http/domain-error.js';
import { UsersRepository } from './users.repository.js';

/** The account owns an organization that could not be deleted, or that the request did not ask to delete. */
export class AccountOwnsOrganization extends domainError(409, 'Account owns an organization') {
  static override readonly hasFreeText = true;
  override readonly detail: ErrorDetail;

  /** @param staying the organizations that could not be deleted, each with the reason */
  constructor(staying: readonly string[] = []) {
    super();
    const sentence = AccountOwnsOrganization.detail as string;
    this.detail = staying.length === 0 ? sentence : `${sentence}: ${staying.join(', ')}`;
  }
}

/** Options of an account deletion: whether the user's organizations are deleted with the account. */
export interface AccountDeletion {
  readonly deleteOrganizations: boolean;
}

/**
 * Implemented by a module that has to act when an account is deleted. Runs in the same transaction, and clears
 * references that no foreign key cascades. Rows that cascade from `users` need no handler.
 */
export abstract class OnAccountDeleted {
  /** Locks the rows that decide the deletion. Called before the account's row is locked. */
  lockFirst(_userId: string, _tx: Db): Promise<void> {
    return Promise.resolve();
  }

  /** @throws AccountOwnsOrganization, which rolls the whole deletion back */
  abstract accountDeleted(userId: UserId, tx: Db, deletion: AccountDeletion): Promise<void>;
}

/**
 * Creates an {@link OnAccountDeleted} provider for a module that needs only one call:
 * `onAccountDeleted(NotesRepository, (notes, userId, tx) => notes.forgetAuthor(userId, tx))`.
 */
export function onAccountDeleted<Keeper>(
  keeper: Type<Keeper>,
  act: (keeper: Keeper, userId: UserId, tx: Db) => Promise<void>,
): FactoryProvider<OnAccountDeleted> {
  return {
    provide: Symbol(`${keeper.name} of deleted accounts`),
    inject: [keeper],
    useFactory: (kept: Keeper) => new KeptOfAccount(kept, act),
  };
}

class KeptOfAccount<Keeper> extends OnAccountDeleted {
  constructor(
    private readonly keeper: Keeper,
    private readonly act: (keeper: Keeper, userId: UserId, tx: Db) => Promise<void>,
  ) {
    super();
  }

  accountDeleted(userId: UserId, tx: Db): Promise<void> {
    return this.act(this.keeper, userId, tx);
  }
}

/** Calls every provider of the application that extends {@link OnAccountDeleted}, then deletes the account's row. */
@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly users: UsersRepository,
  ) {}

  async lockFirst(userId: UserId, tx: Db): Promise<void> {
    for (const part of this.parts()) await part.lockFirst(userId, tx);
  }

  /** @throws AccountOwnsOrganization */
  async run(userId: UserId, deletion: AccountDeletion, tx: Db): Promise<void> {
    for (const part of this.parts()) await part.accountDeleted(userId, tx, deletion);
    await this.users.delete(userId, tx);
  }

  private parts(): OnAccountDeleted[] {
    return this.discovery
      .getProviders()
      .flatMap(({ instance }) => (instance instanceof OnAccountDeleted ? instance : []));
  }
}
