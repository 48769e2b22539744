import { Injectable } from '@nestjs/common';
import { Upkeep } from '../../../platform/upkeep/upkeep.js';
import { IngestionFailuresRepository } from './ingestion-failures.repository.js';

const MOST_ROWS = 5_000;

/** Forgets refusals after 30 days. */
@Injectable()
export class IngestionFailureExpiry extends Upkeep {
  constructor(private readonly failures: IngestionFailuresRepository) {
    super();
  }

  upkeep(): Promise<number> {
    return this.failures.forgetOld(MOST_ROWS);
  }
}
