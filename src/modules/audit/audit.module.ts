import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditEvent } from './audit-event.entity.js';
import { AuditWriter } from './audit.writer.js';

@Module({ imports: [TypeOrmModule.forFeature([AuditEvent])], providers: [AuditWriter], exports: [AuditWriter] })
export class AuditModule {}
