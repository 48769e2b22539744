import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Upkeep } from '../../../platform/upkeep/upkeep.js';

const MOST_ROWS = 5_000;

/** Forgets refusals after 30 days. */
@Injectable()
export class IngestionFailureExpiry extends Upkeep {
  constructor(private readonly database: Database) {
    super();
  }

  upkeep(): Promise<number> {
    return this.database.execute(
      `DELETE FROM ingestion_failures WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ingestion_failures WHERE hour < now() - interval '30 days'
         LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [MOST_ROWS],
    );
  }
}
