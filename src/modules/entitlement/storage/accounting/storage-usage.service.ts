import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { Database } from '../../../../platform/database/database.js';
import { type Allowance, isNearLimit, monthOf, remainingOf } from '../../quotas/index.js';
import { BandwidthRepository } from './bandwidth.repository.js';
import { StorageAllowanceReader } from './storage-allowance.reader.js';
import { StorageTotalsRepository } from './storage-totals.repository.js';
import type { StorageUsageResponse } from './storage-usage.dto.js';

/** Reports what an organization stores, and has sent in this UTC month, against its plan. */
@Injectable()
export class StorageUsageService {
  constructor(
    private readonly database: Database,
    private readonly allowances: StorageAllowanceReader,
    private readonly totals: StorageTotalsRepository,
    private readonly bandwidth: BandwidthRepository,
    private readonly clock: Clock,
  ) {}

  /** Reads all values from one snapshot. */
  get(scope: ProjectScope): Promise<StorageUsageResponse> {
    return this.database.snapshot(async (tx) => {
      const { plan, limits, isMetered } = await this.allowances.of(scope, tx);
      const { stored, reserved, objects } = await this.totals.of(scope, tx);
      const project = await this.totals.ofProject(scope, tx);
      const sent = await this.bandwidth.of(scope, tx);
      const { month, fromDay, toDay } = monthOf(this.clock.now());
      return {
        organization_id: scope.organizationId,
        project_id: scope.projectId,
        plan,
        month,
        from_day: fromDay,
        to_day: toDay,
        reset_day: toDay,
        max_file_bytes: limits.fileBytes,
        is_metered: isMetered,
        storage: {
          bytes_used: stored,
          bytes_reserved: reserved,
          ...against({ used: stored + reserved, limit: limits.storageBytes }),
          objects,
        },
        bandwidth: {
          bytes_used: sent.organization,
          ...against({ used: sent.organization, limit: limits.bandwidthBytes }),
        },
        project: { bytes_used: project.stored, objects: project.objects, bandwidth_bytes_used: sent.project },
      };
    });
  }
}

function against(allowance: Allowance): {
  bytes_limit: number | null;
  bytes_remaining: number | null;
  is_near_limit: boolean;
} {
  return {
    bytes_limit: allowance.limit,
    bytes_remaining: remainingOf(allowance),
    is_near_limit: isNearLimit(allowance),
  };
}
