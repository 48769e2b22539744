import { resolve } from 'node:path';
import type { AuditSink, AuditSinkKind } from './config.js';

/** The values of the environment for the audit sink. */
export interface AuditSinkValues {
  readonly AUDIT_SINK: 'off' | AuditSinkKind;
  readonly AUDIT_FILE: string | undefined;
  readonly AUDIT_WEBHOOK_URL: string | undefined;
  readonly AUDIT_WEBHOOK_SECRET: Buffer | undefined;
  readonly DATA_DIR: string | undefined;
}

/** @param faulty names that are set but already have a fault */
export function auditSinkFaults(v: AuditSinkValues, faulty: ReadonlySet<string>): string[] {
  if (v.AUDIT_SINK !== 'webhook') return [];
  return (['AUDIT_WEBHOOK_URL', 'AUDIT_WEBHOOK_SECRET'] as const)
    .filter((name) => v[name] === undefined && !faulty.has(name))
    .map((name) => `${name} is missing, though AUDIT_SINK is webhook`);
}

/** Returns null when audit rows are not streamed. */
export function auditSink(v: AuditSinkValues): AuditSink | null {
  switch (v.AUDIT_SINK) {
    case 'off':
      return null;
    case 'stdout':
      return { kind: 'stdout' };
    case 'file':
      return { kind: 'file', path: resolve(v.AUDIT_FILE ?? `${v.DATA_DIR ?? '.data'}/audit.ndjson`) };
    case 'webhook':
      return { kind: 'webhook', url: v.AUDIT_WEBHOOK_URL ?? '', key: v.AUDIT_WEBHOOK_SECRET ?? Buffer.alloc(0) };
  }
}
