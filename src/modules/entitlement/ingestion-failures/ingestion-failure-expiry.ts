import { Injectable } from '@nestjs/common';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';
import { IngestionFailuresRepository } from './ingestion-failures.repository.js';

const MOST_ROWS = 5_000;

/** Deletes recorded refusals after 30 days. */
@Injectable()
export class IngestionFailureExpiry extends MaintenanceTask {
  constructor(private readonly failures: IngestionFailuresRepository) {
    super();
  }

  maintain(): Promise<number> {
    return this.failures.forgetOld(MOST_ROWS);
  }
}
