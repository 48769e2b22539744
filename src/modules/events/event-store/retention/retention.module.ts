import { Module } from '@nestjs/common';
import { HotEvents } from './hot-events.js';
import { HotMonthsReader } from './hot-months.reader.js';
import { PastMonthsReader } from './past-months.reader.js';
import { RetainedEvents } from './retained-events.js';
import { RetentionMaintenance } from './retention-maintenance.js';
import { RetentionRepository } from './retention.repository.js';

@Module({
  providers: [HotEvents, HotMonthsReader, PastMonthsReader, RetainedEvents, RetentionMaintenance, RetentionRepository],
  exports: [HotEvents, HotMonthsReader, PastMonthsReader, RetainedEvents],
})
export class EventRetentionModule {}
