import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventStoreModule } from '../event-store/index.js';
import { LongReadsModule } from '../long-reads/index.js';
import { CopiedEventSearchRepository } from './copied-event-search.repository.js';
import { EventSearch } from './event-search.service.js';
import { EventSearchRepository } from './event-search.repository.js';
import { EventTypeSearch } from './event-type-search.reader.js';
import { SearchController } from './search.controller.js';
import { SearchLimits } from './search-limits.js';
import { SearchService } from './search.service.js';

@Module({
  imports: [DiscoveryModule, LongReadsModule, EventStoreModule],
  controllers: [SearchController],
  providers: [
    CopiedEventSearchRepository,
    EventSearch,
    EventSearchRepository,
    EventTypeSearch,
    SearchLimits,
    SearchService,
  ],
})
export class SearchModule {}
