export { FreshProof, type ShownProof } from './fresh-proof.js';
export { type CheckedPassword, PasswordCheck } from './password-check.js';
export { PasswordProofRequest, StepUpHeaders } from './proof.dto.js';
export { IncorrectPassword } from './proof.errors.js';
export { InTurnOfAccount, ProofTurns } from './proof-turns.js';
export { ProofModule } from './proof.module.js';
export type { ProofMethod } from './step-up-token.entity.js';
export { STEP_UP_SECONDS, StepUpTokensRepository } from './step-up-tokens.repository.js';
