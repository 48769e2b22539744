import { Module } from '@nestjs/common';
import { EventStoreModule } from '../../events/event-store/index.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';

@Module({ imports: [EventStoreModule], controllers: [HealthController], providers: [HealthService] })
export class HealthModule {}
