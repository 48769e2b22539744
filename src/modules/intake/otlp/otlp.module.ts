import { Module } from '@nestjs/common';
import { IntakeModule } from '../core/index.js';
import { OtlpRecordsReader } from './otlp-records.reader.js';
import { OtlpController } from './otlp.controller.js';
import { OtlpService } from './otlp.service.js';

@Module({
  imports: [IntakeModule],
  controllers: [OtlpController],
  providers: [OtlpService, OtlpRecordsReader],
})
export class OtlpModule {}
