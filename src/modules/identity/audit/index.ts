export { AuditEvent } from './audit-event.entity.js';
export { AuditEventResponse, auditEventResponse } from './audit.dto.js';
export { AuditModule } from './audit.module.js';
export { AuditReader } from './audit.reader.js';
export { type AuditedAct, AuditWriter } from './audit.writer.js';
