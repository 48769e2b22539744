import { Injectable } from '@nestjs/common';

/** How long an export bears with its client. */
@Injectable()
export class ExportPatience {
  /** A client that takes nothing for so long is let go. */
  stalledMs = 30_000;
  /** Whether the client may still read the project is asked so often. */
  askAgainMs = 60_000;
}
