import { Injectable } from '@nestjs/common';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { FindingsRepository } from './findings.repository.js';

const AT_A_TIME = 1_000;

/** Deletes findings whose retention has ended. */
@Injectable()
export class FindingsMaintenance extends MaintenanceTask {
  constructor(private readonly findings: FindingsRepository) {
    super();
  }

  async maintain(): Promise<number> {
    let removed = 0;
    for (let batch = AT_A_TIME; batch === AT_A_TIME; removed += batch) batch = await this.findings.removeOld(AT_A_TIME);
    return removed;
  }
}
