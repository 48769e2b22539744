import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SecurityEvent } from './security-event.entity.js';
import { SecurityEventsRepository } from './security-events.repository.js';
import { SecurityEventsWriter } from './security-events.writer.js';

@Module({
  imports: [TypeOrmModule.forFeature([SecurityEvent])],
  providers: [SecurityEventsRepository, SecurityEventsWriter],
  exports: [SecurityEventsRepository, SecurityEventsWriter],
})
export class SecurityEventsModule {}
