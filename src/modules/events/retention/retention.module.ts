import { Module } from '@nestjs/common';
import { RetainedEvents } from './retained-events.js';
import { RetentionMaintenance } from './retention-maintenance.js';
import { RetentionRepository } from './retention.repository.js';

@Module({
  providers: [RetainedEvents, RetentionMaintenance, RetentionRepository],
  exports: [RetainedEvents],
})
export class EventRetentionModule {}
