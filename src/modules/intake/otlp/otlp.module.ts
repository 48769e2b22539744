import { Module } from '@nestjs/common';
import { IntakeModule } from '../core/index.js';
import { OtlpController } from './otlp.controller.js';
import { OtlpService } from './otlp.service.js';

@Module({
  imports: [IntakeModule],
  controllers: [OtlpController],
  providers: [OtlpService],
})
export class OtlpModule {}
