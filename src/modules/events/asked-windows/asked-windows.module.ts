import { Module } from '@nestjs/common';
import { EventStoreModule } from '../event-store/index.js';
import { AskedWindows } from './asked-windows.js';

/** Resolves the time windows and filters of requests. */
@Module({
  imports: [EventStoreModule],
  providers: [AskedWindows],
  exports: [AskedWindows],
})
export class AskedWindowsModule {}
