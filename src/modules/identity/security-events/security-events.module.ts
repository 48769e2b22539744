import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SecurityEvent } from './security-event.entity.js';
import { SecurityEventsReader } from './security-events.reader.js';
import { SecurityEventsWriter } from './security-events.writer.js';
import { SecurityNoticesService } from './security-notices.service.js';
import { SecurityNoticesRepository } from './security-notices.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([SecurityEvent])],
  providers: [SecurityEventsReader, SecurityEventsWriter, SecurityNoticesService, SecurityNoticesRepository],
  exports: [SecurityEventsReader, SecurityEventsWriter],
})
export class SecurityEventsModule {}
