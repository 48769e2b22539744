import { TextField } from '../../../platform/http/validation/index.js';

/** The current password, for changes that require a fresh proof. */
export class PasswordProofRequest {
  @TextField({
    max: 1024,
    optional: true,
    secret: true,
    description: 'Or a step-up token in X-Step-Up-Token that has shown it',
  })
  current_password?: string;
}

/** Headers of routes that accept a step-up token in place of the current password. */
export class StepUpHeaders {
  @TextField({
    name: 'X-Step-Up-Token',
    optional: true,
    max: 512,
    secret: true,
    description: 'Token of POST /v1/auth/step-up, in place of what was shown for it',
  })
  step_up_token?: string;
}
