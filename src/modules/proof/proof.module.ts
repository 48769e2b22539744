import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SessionsModule } from '../sessions/index.js';
import { UsersModule } from '../users/index.js';
import { FreshProof } from './fresh-proof.js';
import { StepUpToken } from './step-up-token.entity.js';
import { StepUpTokens } from './step-up-tokens.js';

@Module({
  imports: [SessionsModule, UsersModule, TypeOrmModule.forFeature([StepUpToken])],
  providers: [FreshProof, StepUpTokens],
  exports: [FreshProof, StepUpTokens],
})
export class ProofModule {}
