import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SecurityEvent } from './security-event.entity.js';
import { SecurityEventsRepository } from './security-events.repository.js';
import { SecurityEventsWriter } from './security-events.writer.js';
import { SecurityNotices } from './security-notices.js';
import { SecurityNoticesRepository } from './security-notices.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([SecurityEvent])],
  providers: [SecurityEventsRepository, SecurityEventsWriter, SecurityNotices, SecurityNoticesRepository],
  exports: [SecurityEventsRepository, SecurityEventsWriter],
})
export class SecurityEventsModule {}
