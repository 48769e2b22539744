import { Module } from '@nestjs/common';
import { EventStoreModule } from '../../events/event-store/index.js';
import { TestControl } from './test-control.js';

@Module({ imports: [EventStoreModule], providers: [TestControl] })
export class TestControlModule {}
