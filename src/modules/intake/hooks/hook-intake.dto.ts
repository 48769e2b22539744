import { TextField } from '../../../platform/http/validation/index.js';

/** Answers Slack when it tries an address. */
export class HookChallengeResponse {
  @TextField({ description: 'The text that was sent' })
  challenge!: string;
}
