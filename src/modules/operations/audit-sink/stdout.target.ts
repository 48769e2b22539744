import { unlessAborted } from '../../../platform/concurrency/index.js';
import { standardOutput } from '../../../platform/telemetry/index.js';
import { type AuditLine, type AuditTarget, textOf } from './audit-target.js';

/**
 * Writes lines to standard output, among the lines of the log. While the pipe is full, a write waits for its reader.
 */
export class StdoutTarget implements AuditTarget {
  readonly maxLines = 500;

  write(lines: readonly AuditLine[], stopping: AbortSignal): Promise<void> {
    const written = standardOutput.writeAll(textOf(lines));
    return unlessAborted(stopping, written, () => new Error('standard output was not read before the process stopped'));
  }
}
