import { Module } from '@nestjs/common';
import { PatternTrials } from './pattern-trials.js';
import { PatternTrialsRepository } from './pattern-trials.repository.js';

@Module({ providers: [PatternTrials, PatternTrialsRepository], exports: [PatternTrials] })
export class AlertConditionsModule {}
