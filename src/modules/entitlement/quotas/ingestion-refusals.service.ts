import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import type { DomainError } from '../../../platform/http/domain-error.js';
import { type BlockReason, blockReason, type IngestionAllowances } from './ingestion-decision.js';
import {
  BillingInactive,
  BlockedByBilling,
  DailyLimitExceeded,
  MonthlyEventsExceeded,
  MonthlyRequestsExceeded,
} from './quotas.errors.js';

const DAY_MS = 24 * 3600 * 1000;

/** Why ingestion is refused: by billing, or by the daily limit of the source. */
export type RefusalReason = BlockReason | 'daily_limit_exceeded';

export interface IngestionRefusal extends IngestionAllowances {
  readonly reason: RefusalReason;
  /** The time of the decision, by the clock of the database. */
  readonly at: Date;
}

/** Builds the response to refused ingestion: status, message and headers. */
@Injectable()
export class IngestionRefusalsService {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  statusOf(reason: RefusalReason): number {
    return reason === 'daily_limit_exceeded' ? DailyLimitExceeded.status : BillingInactive.status;
  }

  /** Returns the message for a single event of a batch that is refused for this reason. */
  sentenceOf(reason: RefusalReason): string {
    switch (reason) {
      case 'billing_inactive':
        return BillingInactive.detail as string;
      case 'limit_exceeded':
        return MonthlyEventsExceeded.detail as string;
      case 'request_limit_exceeded':
        return this.config.quotas.requestQuotaMessage;
      case 'blocked':
        return BlockedByBilling.detail as string;
      case 'daily_limit_exceeded':
        return DailyLimitExceeded.detail as string;
    }
  }

  answer(refusal: IngestionRefusal): DomainError {
    const { upgradeUrl, requestQuotaMessage } = this.config.quotas;
    const reason = { 'X-Service-Block-Reason': refusal.reason };
    const upgrade = { ...reason, 'X-Service-Upgrade-URL': upgradeUrl };
    switch (refusal.reason) {
      case 'billing_inactive':
        return new BillingInactive({ ...upgrade, 'X-Service-Billing-Status': refusal.billingStatus });
      case 'limit_exceeded':
        return new MonthlyEventsExceeded({
          ...upgrade,
          'X-Service-Monthly-Limit': String(refusal.events.limit),
          'X-Service-Monthly-Used': String(refusal.events.used),
          ...periodOf(refusal.at),
        });
      case 'request_limit_exceeded':
        return new MonthlyRequestsExceeded(requestQuotaMessage, {
          ...upgrade,
          'X-Service-Monthly-Request-Limit': String(refusal.requests.limit),
          'X-Service-Monthly-Requests-Used': String(refusal.requests.used),
          ...periodOf(refusal.at),
        });
      case 'blocked':
        return new BlockedByBilling(reason);
      case 'daily_limit_exceeded':
        return new DailyLimitExceeded({ 'Retry-After': String(secondsOfDayLeft(refusal.at)) });
    }
  }
}

/** Returns the block reason of a billing status that refuses ingestion, as {@link blockReason} does. */
export function reasonOfStatus(billingStatus: string): BlockReason {
  const unlimited = { used: 0, limit: null };
  return blockReason({ billingStatus, events: unlimited, requests: unlimited }) ?? 'blocked';
}

/**
 * Returns headers with the first day of the UTC month and of the next one. As in the billing status record, the end is
 * exclusive.
 */
function periodOf(at: Date): Record<string, string> {
  const first = (months: number): string =>
    new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1)).toISOString().slice(0, 10);
  return { 'X-Service-Period-Start': first(0), 'X-Service-Period-End': first(1) };
}

function secondsOfDayLeft(at: Date): number {
  return Math.ceil((DAY_MS - (at.getTime() % DAY_MS)) / 1000);
}
