import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventStoreModule } from '../event-store/index.js';
import { LongReadsModule } from '../long-reads/index.js';
import { EventSearch } from './event-search.service.js';
import { SearchController } from './search.controller.js';
import { SearchLimits } from './search-limits.js';
import { SearchService } from './search.service.js';

@Module({
  imports: [DiscoveryModule, LongReadsModule, EventStoreModule],
  controllers: [SearchController],
  providers: [EventSearch, SearchLimits, SearchService],
})
export class SearchModule {}
