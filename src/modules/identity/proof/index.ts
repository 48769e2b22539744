export { FreshProofService, type ShownProof } from './fresh-proof.service.js';
export { type CheckedPassword, PasswordVerifier } from './password.verifier.js';
export { PasswordProofRequest, StepUpHeaders } from './proof.dto.js';
export { FreshSignInRequired, IncorrectPassword, TooManySignInAttempts } from './proof.errors.js';
export { ProofSlotInterceptor, ProofScheduler } from './proof.scheduler.js';
export { ProofModule } from './proof.module.js';
export type { ProofMethod } from './step-up-token.entity.js';
export { STEP_UP_SECONDS, StepUpTokensWriter } from './step-up-tokens.writer.js';
