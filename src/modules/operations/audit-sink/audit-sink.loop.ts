import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { AuditSinkKind } from '../../../config/index.js';
import { KeptResult } from '../../../platform/concurrency/index.js';
import { errorMessage } from '../../../platform/errors/index.js';
import { LogThrottle, type Metrics } from '../../../platform/telemetry/index.js';
import { auditEventResponse } from '../../identity/audit/index.js';
import type { AuditRowsRepository, NumberedAuditEvent } from './audit-rows.repository.js';
import type { AuditLine, AuditTarget } from './audit-target.js';

const IDLE_MS = 1_000;
const MAX_WAIT_MS = 30_000;
/** Scrapes within this time share one count of the waiting rows. */
const COUNT_TTL_MS = 5_000;

/**
 * Streams audit rows to the sink while the process runs. Only the process that has the claim streams. The cursor moves
 * after the sink has stored the rows. A process that dies before the move causes rows to be sent twice, and loses none.
 * While the sink fails, rows wait in PostgreSQL, and audited actions are not blocked.
 */
export class AuditSinkLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('audit-sink');
  private readonly seldom = new LogThrottle();
  private readonly stopping = new AbortController();
  private readonly claim = randomUUID();
  private readonly stored;
  private readonly failures;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly kind: AuditSinkKind,
    private readonly target: AuditTarget,
    private readonly rows: AuditRowsRepository,
    metrics: Metrics,
  ) {
    this.stored = metrics.counter('oes_audit_sink_rows_total', 'Audit rows that this process has sent to the sink');
    this.failures = metrics.counter('oes_audit_sink_failures_total', 'Writes to the audit sink that failed');
    const waiting = new KeptResult(COUNT_TTL_MS, () => rows.waiting(kind));
    metrics.gauge('oes_audit_sink_waiting_rows', 'Audit rows that the sink has not stored yet', [], async (gauge) =>
      gauge.set((await waiting.get()).rows),
    );
    metrics.gauge(
      'oes_audit_sink_oldest_seconds',
      'Age of the oldest audit row that the sink has not stored yet',
      [],
      async (gauge) => gauge.set((await waiting.get()).oldestSeconds),
    );
  }

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
    // Another process may then continue at once. If the release fails, another process continues when the claim has
    // expired.
    await this.rows.release(this.kind, this.claim).catch((error: unknown) => this.report(error));
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    let waitMs = 0;
    let hasCursor = false;
    while (!this.isStopping()) {
      try {
        if (!hasCursor) await this.rows.addCursor(this.kind);
        hasCursor = true;
        await this.round();
        waitMs = IDLE_MS;
      } catch (error) {
        this.report(error);
        waitMs = Math.min(Math.max(waitMs * 2, IDLE_MS), MAX_WAIT_MS);
      }
      await pause(waitMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  /** Stores the waiting rows, as long as this process has the claim. */
  private async round(): Promise<void> {
    let position = await this.rows.claim(this.kind, this.claim);
    while (position !== null && !this.isStopping()) {
      const rows: NumberedAuditEvent[] = await this.rows.after(position, this.target.maxLines);
      const last = rows.at(-1);
      if (last === undefined) return;
      await this.target.write(rows.map(lineOf), this.stopping.signal);
      this.stored.inc(rows.length);
      position = (await this.rows.move(this.kind, this.claim, last.position)) ? last.position : null;
    }
  }

  private report(error: unknown): void {
    this.failures.inc();
    this.seldom.happened('failed', (times) =>
      this.logger.warn(
        `audit rows wait, because the sink failed ${times} times since the last such line: ${errorMessage(error)}`,
      ),
    );
  }
}

function lineOf(event: NumberedAuditEvent): AuditLine {
  return { id: event.id, json: JSON.stringify(auditEventResponse(event)) };
}
