import { Module } from '@nestjs/common';
import { IntakeModule } from '../core/index.js';
import { CloudEventsController } from './cloud-events.controller.js';
import { CloudEventsService } from './cloud-events.service.js';

@Module({
  imports: [IntakeModule],
  controllers: [CloudEventsController],
  providers: [CloudEventsService],
})
export class CloudEventsModule {}
