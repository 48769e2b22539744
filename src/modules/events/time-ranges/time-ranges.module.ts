import { Module } from '@nestjs/common';
import { EventStoreModule } from '../event-store/index.js';
import { TimeRangeResolver } from './time-range.resolver.js';

/** Resolves the time windows and filters of requests. */
@Module({
  imports: [EventStoreModule],
  providers: [TimeRangeResolver],
  exports: [TimeRangeResolver],
})
export class TimeRangesModule {}
