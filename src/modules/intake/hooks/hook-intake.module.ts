import { Module } from '@nestjs/common';
import { IngestSourcesModule } from '../../entitlement/sources/index.js';
import { IntakeModule } from '../core/index.js';
import { HookIntakeController } from './hook-intake.controller.js';
import { HookIntakeService } from './hook-intake.service.js';

@Module({
  imports: [IngestSourcesModule, IntakeModule],
  controllers: [HookIntakeController],
  providers: [HookIntakeService],
})
export class HookIntakeModule {}
