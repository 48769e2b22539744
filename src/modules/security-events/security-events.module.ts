import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SecurityEvent } from './security-event.entity.js';
import { SecurityEventsWriter } from './security-events.writer.js';

@Module({
  imports: [TypeOrmModule.forFeature([SecurityEvent])],
  providers: [SecurityEventsWriter],
  exports: [SecurityEventsWriter],
})
export class SecurityEventsModule {}
