import { Injectable } from '@nestjs/common';

/** Time limits of replication in milliseconds. Tests lower them. */
@Injectable()
export class ReplicationLimits {
  /** The limit of the check at the start of the process. The start continues without the check. */
  startCheckMs = 5_000;
  /** After this time without a block, the presence of the last block in ClickHouse is checked. */
  quietMs = 5_000;
  /** The limit of an insert. ClickHouse has to acknowledge the block or report an error within this time. */
  insertMs = 60_000;
}
