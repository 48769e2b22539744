import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { ProjectActsService, ProjectIsArchived } from '../../../tenancy/projects/index.js';
import { type StorageAllowance, StorageAllowanceReader } from '../accounting/storage-allowance.reader.js';
import { StorageRefusalsService } from '../accounting/storage-refusals.service.js';
import { StorageTotalsRepository } from '../accounting/storage-totals.repository.js';
import { FileTooLarge } from '../storage.errors.js';

/** What every act begins with that brings content or describes it, and how its bytes are set aside. */
@Injectable()
export class ContentAdmissionService {
  constructor(
    private readonly database: Database,
    private readonly acts: ProjectActsService,
    private readonly allowances: StorageAllowanceReader,
    private readonly totals: StorageTotalsRepository,
    private readonly refusals: StorageRefusalsService,
  ) {}

  /**
   * The project stays as it is until the transaction ends; others may store meanwhile.
   * @throws ProjectNotFound, NotAProjectMember, InsufficientProjectRole, ProjectIsArchived, or as billing refuses
   */
  async begin(scope: ProjectMemberScope, tx: Db): Promise<StorageAllowance> {
    const { archivedAt } = await this.acts.join(scope, tx);
    if (archivedAt !== null) throw new ProjectIsArchived();
    const allowance = await this.allowances.of(scope, tx);
    const refusal = this.refusals.ofBilling(allowance);
    if (refusal !== null) throw refusal;
    return allowance;
  }

  /** @throws FileTooLarge */
  assertSize({ limits }: StorageAllowance, bytes: number): void {
    if (limits.fileBytes !== null && bytes > limits.fileBytes) throw new FileTooLarge();
  }

  /** @param freed bytes that the act gives back when it succeeds. @throws StorageQuotaExceeded */
  async reserve(scope: ProjectScope, allowance: StorageAllowance, bytes: number, freed: number, tx: Db): Promise<void> {
    const limit = quotaOf(allowance);
    if (await this.totals.reserve(scope, bytes, { limit, freed }, tx)) return;
    const { stored, reserved } = await this.totals.of(scope, tx);
    throw this.refusals.ofStorage(limit ?? 0, stored + reserved);
  }

  /** For what was reserved on the promise of bytes that have not been given back. @throws StorageQuotaExceeded */
  async assertFits(scope: ProjectScope, allowance: StorageAllowance, freed: number, tx: Db): Promise<void> {
    const limit = quotaOf(allowance);
    if (limit === null || (await this.totals.fits(scope, limit, freed, tx))) return;
    const { stored, reserved } = await this.totals.of(scope, tx);
    throw this.refusals.ofStorage(limit, stored + reserved);
  }

  /** In a transaction of its own, for bytes that come beyond what was announced. @throws StorageQuotaExceeded */
  async reserveMore(scope: ProjectScope, allowance: StorageAllowance, bytes: number, freed: number): Promise<void> {
    await this.database.transaction((tx) => this.reserve(scope, allowance, bytes, freed, tx));
  }
}

function quotaOf({ limits, isMetered }: StorageAllowance): number | null {
  return isMetered ? null : limits.storageBytes;
}
