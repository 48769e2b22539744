import { Injectable } from '@nestjs/common';
import { CLIENT_PATIENCE, type ClientPatience } from '../../../platform/http/client-patience.js';

/** How long an export bears with its client. */
@Injectable()
export class ExportPatience implements ClientPatience {
  stalledMs = CLIENT_PATIENCE.stalledMs;
  /** Of each read: who was fast before gains nothing by it. */
  bytesPerSecond = CLIENT_PATIENCE.bytesPerSecond;
  longestMs = CLIENT_PATIENCE.longestMs;
  /** Whether the client may still read the project is asked so often. */
  askAgainMs = 60_000;
}
