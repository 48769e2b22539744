import { TextField } from './fields/index.js';

/** The answer of an action that has nothing to show but that it was done. */
export class MessageResponse {
  @TextField({ description: 'What was done, for people' })
  message!: string;
}
