import { Module } from '@nestjs/common';
import { LongReads } from './long-reads.js';
import { LongSnapshots } from './long-snapshots.js';

/** The turns and the time of reads that have to look through rows, whatever they read. */
@Module({
  providers: [LongReads, LongSnapshots],
  exports: [LongReads, LongSnapshots],
})
export class LongReadsModule {}
