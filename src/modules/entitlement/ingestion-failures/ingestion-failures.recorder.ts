import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../platform/clock/index.js';
import {
  type FailureCount,
  type IngestionFailure,
  IngestionFailuresRepository,
  type RefusedSender,
} from './ingestion-failures.repository.js';
import { errorMessage } from '../../../platform/errors/index.js';

export type { IngestionFailure, RefusedSender } from './ingestion-failures.repository.js';

/**
 * Records refused ingestion for the owner of the key or of the source. A failed write is logged and does not affect the
 * response. While one write runs, later refusals are added up and share the next write, so many refusals cost only a
 * few statements.
 */
@Injectable()
export class IngestionFailuresRecorder {
  private waiting = new Map<string, FailureCount>();
  private writing: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private readonly logger = new Logger('ingestion-failures');

  constructor(
    private readonly failures: IngestionFailuresRepository,
    private readonly clock: Clock,
  ) {}

  /** Resolves when the refusal is written, or when the write has failed. Never rejects. */
  record(sender: RefusedSender, failure: IngestionFailure): Promise<void> {
    const occurredAt = this.clock.now();
    const identity = `${sender.apiKeyId ?? sender.sourceId} ${failure.reasonCode} ${failure.statusCode}`;
    const count = (this.waiting.get(identity)?.count ?? 0) + 1;
    this.waiting.set(identity, { ...sender, ...failure, occurredAt, count });
    if (this.writing === undefined) return (this.writing = this.write());
    return (this.next ??= this.writing.then(() => {
      this.next = undefined;
      return (this.writing = this.write());
    }));
  }

  private async write(): Promise<void> {
    const counts = [...this.waiting.values()];
    this.waiting = new Map();
    try {
      if (counts.length > 0) await this.failures.add(counts);
    } catch (error) {
      this.logger.warn(`${counts.length} refused senders were not recorded: ${errorMessage(error)}`);
    } finally {
      this.writing = undefined;
    }
  }
}
