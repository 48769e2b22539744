export { AuditEvent } from './audit-event.entity.js';
export { AuditModule } from './audit.module.js';
export { type AuditedAct, AuditWriter } from './audit.writer.js';
