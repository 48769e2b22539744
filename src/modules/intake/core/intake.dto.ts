import {
  BooleanField,
  IntField,
  ListField,
  nested,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';

/** The result of one event of a request. */
export class IntakeResult {
  @IntField({ min: 0, description: 'From 0, in the order of the request' })
  position!: number;

  @BooleanField({ description: 'Whether the event is stored, by this request or by an earlier one' })
  accepted!: boolean;

  @BooleanField({ description: 'Whether the event had been stored before, so that it was not stored again' })
  duplicate!: boolean;

  @UuidField({ optional: true, description: 'Set when the event was accepted' })
  ingested_event_id?: string;

  @TextField({ optional: true, description: 'The reason, when the event was refused' })
  detail?: string;
}

export class IntakeResponse {
  @IntField({ min: 0, description: 'Events that are stored, duplicates included' })
  accepted!: number;

  @IntField({ min: 0, description: 'Refused events' })
  rejected!: number;

  @IntField({ min: 0, description: 'Accepted events that had been stored before' })
  duplicates!: number;

  @ListField(nested(() => IntakeResult), { description: 'One for each event' })
  results!: IntakeResult[];
}
