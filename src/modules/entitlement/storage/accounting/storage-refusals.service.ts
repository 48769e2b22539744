import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import type { DomainError } from '../../../../platform/http/domain-error.js';
import { IngestionRefusalsService, monthOf } from '../../quotas/index.js';
import { BandwidthExceeded, StorageQuotaExceeded } from '../storage.errors.js';
import type { StorageAllowance } from './storage-allowance.reader.js';

const UNLIMITED = { used: 0, limit: null };

/** Builds the errors of quotas and billing, with their messages and headers. */
@Injectable()
export class StorageRefusalsService {
  constructor(
    private readonly ingestion: IngestionRefusalsService,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Returns the same error as ingestion, or null when billing allows the request. */
  ofBilling({ block, billingStatus }: StorageAllowance): DomainError | null {
    if (block === null) return null;
    const at = this.clock.now();
    return this.ingestion.answer({ reason: block, at, billingStatus, events: UNLIMITED, requests: UNLIMITED });
  }

  ofStorage(limit: number, used: number): DomainError {
    return new StorageQuotaExceeded({
      'X-Service-Block-Reason': 'storage_quota_exceeded',
      'X-Service-Upgrade-URL': this.config.quotas.upgradeUrl,
      'X-Service-Storage-Limit': String(limit),
      'X-Service-Storage-Used': String(used),
    });
  }

  ofBandwidth(limit: number, used: number): DomainError {
    const { fromDay, toDay } = monthOf(this.clock.now());
    return new BandwidthExceeded({
      'X-Service-Block-Reason': 'bandwidth_exceeded',
      'X-Service-Upgrade-URL': this.config.quotas.upgradeUrl,
      'X-Service-Bandwidth-Limit': String(limit),
      'X-Service-Bandwidth-Used': String(used),
      'X-Service-Period-Start': fromDay,
      'X-Service-Period-End': toDay,
    });
  }
}
