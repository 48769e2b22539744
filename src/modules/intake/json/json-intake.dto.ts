import { TextField } from '../../../platform/http/validation/index.js';

export class JsonIntakeQuery {
  @TextField({ min: 1, max: 200, optional: true, description: 'The type of events that name none' })
  event_type?: string;

  @TextField({ min: 1, max: 200, optional: true, description: 'The source of events that name none' })
  source?: string;
}
