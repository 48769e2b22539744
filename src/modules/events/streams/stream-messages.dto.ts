import { ConstantField, IntField, TextField } from '../../../platform/http/validation/index.js';

/** Sent about once a second when there is nothing new. */
export class StreamHeartbeat {
  @ConstantField('heartbeat', { description: 'Of the message' })
  type!: 'heartbeat';

  @IntField({ description: 'Unix milliseconds of the service' })
  timestamp!: number;

  @TextField({ optional: true, description: 'Why nothing can be read now; the stream goes on' })
  detail?: string;
}
