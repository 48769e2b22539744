export { AuditSinkModule } from './audit-sink.module.js';
