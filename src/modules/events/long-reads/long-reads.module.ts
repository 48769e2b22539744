import { Module } from '@nestjs/common';
import { LongReads } from './long-reads.js';
import { LongSnapshots } from './long-snapshots.js';

/** Limits how many reads that scan rows run at once, and how long each may take. */
@Module({
  providers: [LongReads, LongSnapshots],
  exports: [LongReads, LongSnapshots],
})
export class LongReadsModule {}
