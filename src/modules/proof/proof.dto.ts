import { TextField } from '../../platform/http/fields/index.js';

/** Headers of routes that accept a step-up token in place of the current password. */
export class StepUpHeaders {
  @TextField({
    name: 'X-Step-Up-Token',
    optional: true,
    max: 512,
    secret: true,
    description: 'Token of POST /v1/auth/step-up, in place of the current password',
  })
  step_up_token?: string;
}
