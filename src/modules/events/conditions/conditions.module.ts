import { Module } from '@nestjs/common';
import { PatternTrialsService } from './pattern-trials.service.js';
import { PatternTrialsRepository } from './pattern-trials.repository.js';

@Module({ providers: [PatternTrialsService, PatternTrialsRepository], exports: [PatternTrialsService] })
export class EventConditionsModule {}
