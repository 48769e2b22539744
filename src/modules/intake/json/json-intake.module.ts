import { Module } from '@nestjs/common';
import { IntakeModule } from '../core/index.js';
import { JsonIntakeController } from './json-intake.controller.js';
import { JsonIntakeService } from './json-intake.service.js';

@Module({
  imports: [IntakeModule],
  controllers: [JsonIntakeController],
  providers: [JsonIntakeService],
})
export class JsonIntakeModule {}
