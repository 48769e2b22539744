import { TextField } from '../../../platform/http/validation/index.js';

/** The answer to the request with which Slack tests an address. */
export class HookChallengeResponse {
  @TextField({ description: 'The text that was sent' })
  challenge!: string;
}
