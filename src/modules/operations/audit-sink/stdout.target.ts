import { standardOutput } from '../../../platform/telemetry/index.js';
import { type AuditLine, type AuditTarget, textOf } from './audit-target.js';

/** Writes lines to standard output, between the lines of the log. */
export class StdoutTarget implements AuditTarget {
  readonly maxLines = 500;

  write(lines: readonly AuditLine[]): Promise<void> {
    return standardOutput.writeAll(textOf(lines));
  }
}
