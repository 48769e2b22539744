import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SessionsModule } from '../sessions/index.js';
import { UsersModule } from '../users/index.js';
import { FreshProof } from './fresh-proof.js';
import { PasswordAttempt } from './password-attempt.entity.js';
import { PasswordAttemptsRepository } from './password-attempts.repository.js';
import { PasswordCheck } from './password-check.js';
import { ProofTurns } from './proof-turns.js';
import { StepUpToken } from './step-up-token.entity.js';
import { StepUpTokensRepository } from './step-up-tokens.repository.js';

@Module({
  imports: [SessionsModule, UsersModule, TypeOrmModule.forFeature([PasswordAttempt, StepUpToken])],
  providers: [FreshProof, PasswordAttemptsRepository, PasswordCheck, ProofTurns, StepUpTokensRepository],
  exports: [FreshProof, PasswordCheck, ProofTurns, StepUpTokensRepository],
})
export class ProofModule {}
