import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { ProjectAuthorization, ProjectIsArchived } from '../../../tenancy/projects/index.js';
import { type StorageAllowance, StorageAllowanceReader } from '../accounting/storage-allowance.reader.js';
import { StorageRefusalsService } from '../accounting/storage-refusals.service.js';
import { StorageTotalsRepository } from '../accounting/storage-totals.repository.js';
import { FileTooLarge } from '../storage.errors.js';

/** Admits operations that store or describe content, and reserves their bytes. */
@Injectable()
export class ContentAdmissionService {
  constructor(
    private readonly authorization: ProjectAuthorization,
    private readonly allowances: StorageAllowanceReader,
    private readonly totals: StorageTotalsRepository,
    private readonly refusals: StorageRefusalsService,
  ) {}

  /**
   * Authorizes the operation. The project cannot change until the transaction ends, but other requests may store
   * meanwhile.
   * @throws ProjectNotFound, NotAProjectMember, InsufficientProjectRole, ProjectIsArchived, or the refusal of billing
   */
  async begin(scope: ProjectMemberScope, tx: Db): Promise<StorageAllowance> {
    const { archivedAt } = await this.authorization.shareAndAuthorize(scope, tx);
    return this.assertOpen({ ...scope, isArchived: archivedAt !== null }, tx);
  }

  /** Checks the project for a signed URL, which has no member. @throws ProjectIsArchived, or the refusal of billing */
  async assertOpen(
    project: Pick<ProjectScope, 'organizationId'> & { readonly isArchived: boolean },
    tx?: Db,
  ): Promise<StorageAllowance> {
    if (project.isArchived) throw new ProjectIsArchived();
    const allowance = await this.allowances.of(project, tx);
    const refusal = this.refusals.ofBilling(allowance);
    if (refusal !== null) throw refusal;
    return allowance;
  }

  /** @throws FileTooLarge */
  assertSize({ limits }: StorageAllowance, bytes: number): void {
    if (limits.fileBytes !== null && bytes > limits.fileBytes) throw new FileTooLarge();
  }

  /** @throws StorageQuotaExceeded */
  async reserve(scope: ProjectScope, allowance: StorageAllowance, bytes: number, tx: Db): Promise<void> {
    const limit = quotaOf(allowance);
    if (await this.totals.reserve(scope, bytes, limit, tx)) return;
    const { stored, reserved } = await this.totals.of(scope, tx);
    throw this.refusals.ofStorage(limit ?? 0, stored + reserved);
  }

  /** Checks that bytes in addition to the reserved ones fit into the quota. @throws StorageQuotaExceeded */
  async assertFits(scope: ProjectScope, allowance: StorageAllowance, bytes: number, tx: Db): Promise<void> {
    const limit = quotaOf(allowance);
    if (limit === null || (await this.totals.fits(scope, bytes, limit, tx))) return;
    const { stored, reserved } = await this.totals.of(scope, tx);
    throw this.refusals.ofStorage(limit, stored + reserved);
  }
}

function quotaOf({ limits, isMetered }: StorageAllowance): number | null {
  return isMetered ? null : limits.storageBytes;
}
