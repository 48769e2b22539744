import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditEvent } from './audit-event.entity.js';
import { AuditReader } from './audit.reader.js';
import { AuditWriter } from './audit.writer.js';

@Module({
  imports: [TypeOrmModule.forFeature([AuditEvent])],
  providers: [AuditReader, AuditWriter],
  exports: [AuditReader, AuditWriter],
})
export class AuditModule {}
