import { TextField } from './validation/index.js';

/** The answer of an action that has no result to return. */
export class MessageResponse {
  @TextField({ description: 'What was done, for people' })
  message!: string;
}
