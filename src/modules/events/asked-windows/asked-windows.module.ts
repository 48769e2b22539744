import { Module } from '@nestjs/common';
import { EventStoreModule } from '../event-store/index.js';
import { AskedWindows } from './asked-windows.js';

/** The windows of time and the filters that requests ask for. */
@Module({
  imports: [EventStoreModule],
  providers: [AskedWindows],
  exports: [AskedWindows],
})
export class AskedWindowsModule {}
