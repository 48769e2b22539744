import { type FactoryProvider, Module } from '@nestjs/common';
import { type AuditSink, CONFIG, type Config } from '../../../config/index.js';
import { Clock } from '../../../platform/clock/index.js';
import { OutboundHttp } from '../../../platform/outbound-http/index.js';
import { Metrics } from '../../../platform/telemetry/index.js';
import { AuditRowsRepository } from './audit-rows.repository.js';
import { AuditSinkLoop } from './audit-sink.loop.js';
import type { AuditTarget } from './audit-target.js';
import { FileTarget } from './file.target.js';
import { StdoutTarget } from './stdout.target.js';
import { WebhookTarget } from './webhook.target.js';

/** The loop is null in processes without workers, and when AUDIT_SINK is not set. */
const LOOP: FactoryProvider<AuditSinkLoop | null> = {
  provide: AuditSinkLoop,
  inject: [CONFIG, AuditRowsRepository, OutboundHttp, Clock, Metrics],
  useFactory: (
    { auditSink, process: { runsWorkers } }: Config,
    rows: AuditRowsRepository,
    http: OutboundHttp,
    clock: Clock,
    metrics: Metrics,
  ) =>
    auditSink === null || !runsWorkers
      ? null
      : new AuditSinkLoop(auditSink.kind, targetOf(auditSink, http, clock), rows, metrics),
};

/** Returns the target to which a configured sink writes. */
export function targetOf(sink: AuditSink, http: OutboundHttp, clock: Clock): AuditTarget {
  switch (sink.kind) {
    case 'stdout':
      return new StdoutTarget();
    case 'file':
      return new FileTarget(sink.path);
    case 'webhook':
      return new WebhookTarget(sink, http, clock);
  }
}

/** Streams audit rows to the target that `AUDIT_SINK` names. */
@Module({ providers: [AuditRowsRepository, LOOP] })
export class AuditSinkModule {}
