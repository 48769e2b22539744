import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { PaymentNotConfigured, PaymentProvider, PaymentProviderFailed } from '../../billing/index.js';
import { type DueReport, METERS, OveragesRepository } from './overages.repository.js';

const MOST_REPORTS = 50;

/**
 * Reports to the payment provider what organizations have stored and sent beyond their quotas, once for each UTC day. A
 * process that dies between the report and its mark reports again with the same identifier, which the provider counts
 * once. If the provider fails, a later round reports again; no upload waits for a report.
 */
@Injectable()
export class OverageReportsMaintenance extends MaintenanceTask {
  constructor(
    private readonly overages: OveragesRepository,
    private readonly provider: PaymentProvider,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    super();
  }

  async maintain(): Promise<number> {
    const { limits, meteredBillingEnabled } = this.config.storage;
    if (!meteredBillingEnabled) return 0;
    await this.overages.observe(limits);
    const within = this.provider.begin();
    let reported = 0;
    for (const due of await this.overages.due(MOST_REPORTS)) {
      if (due.gigabytes > 0) {
        if (due.customerId === null) continue;
        try {
          await this.provider.reportUsage(usageOf(due, due.customerId), within);
        } catch (error) {
          if (error instanceof PaymentProviderFailed || error instanceof PaymentNotConfigured) break;
          throw error;
        }
        reported += 1;
      }
      await this.overages.markReported(due);
    }
    return reported;
  }
}

function usageOf({ organizationId, day, kind, gigabytes }: DueReport, customerId: string) {
  const meter = METERS[kind];
  return {
    meter,
    customerId,
    value: gigabytes,
    identifier: `${organizationId}:${day}:${meter}`,
    at: new Date(`${day}T23:59:59Z`),
  };
}
