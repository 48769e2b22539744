import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SessionsModule } from '../sessions/index.js';
import { UsersModule } from '../users/index.js';
import { FreshProofService } from './fresh-proof.service.js';
import { PasswordAttempt } from './password-attempt.entity.js';
import { PasswordAttemptsRepository } from './password-attempts.repository.js';
import { PasswordVerifier } from './password.verifier.js';
import { ProofScheduler } from './proof.scheduler.js';
import { StepUpToken } from './step-up-token.entity.js';
import { StepUpTokensRepository } from './step-up-tokens.repository.js';
import { StepUpTokensWriter } from './step-up-tokens.writer.js';

@Module({
  imports: [SessionsModule, UsersModule, TypeOrmModule.forFeature([PasswordAttempt, StepUpToken])],
  providers: [
    FreshProofService,
    PasswordAttemptsRepository,
    PasswordVerifier,
    ProofScheduler,
    StepUpTokensRepository,
    StepUpTokensWriter,
  ],
  exports: [FreshProofService, PasswordVerifier, ProofScheduler, StepUpTokensWriter],
})
export class ProofModule {}
