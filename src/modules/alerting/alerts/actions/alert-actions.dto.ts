import {
  BooleanField,
  DateTimeField,
  EnumField,
  ListField,
  nested,
  TextField,
  uuid,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { InsufficientProjectRole } from '../../../access/index.js';
import { AlertEventIsAcknowledged, AlertEventIsResolved, AlertEventNotFound } from '../alerts.errors.js';

const MAX_BULK = 100;

class NoteRequest {
  @TextField({ max: 2_000, optional: true, nullable: true, description: 'For the timeline' })
  note?: string | null;
}

export class AcknowledgeRequest extends NoteRequest {}
export class ResolveRequest extends NoteRequest {}
export class ReopenRequest extends NoteRequest {}

export class SnoozeRequest extends NoteRequest {
  @DateTimeField({ description: 'In the future, within a year' })
  until!: Date;
}

export class AssignRequest {
  @UuidField({ nullable: true, description: 'A member of the project; null: nobody' })
  user_id!: string | null;
}

export class CommentRequest {
  @TextField({ min: 1, max: 5_000, trim: true, description: 'Of the comment, for people' })
  body!: string;
}

const BULK_ACTIONS = ['acknowledge', 'resolve'] as const;
type BulkAction = (typeof BULK_ACTIONS)[number];

/** The `detail` of a response to an internal error, as in single requests. */
export const INTERNAL_ERROR = 'Internal Server Error';
/** Every error sentence (`detail`) that a bulk request may report for one alert event. */
const BULK_REFUSALS = [
  ...[AlertEventNotFound, InsufficientProjectRole, AlertEventIsAcknowledged, AlertEventIsResolved].map(
    ({ detail }) => detail as string,
  ),
  INTERNAL_ERROR,
];

export class BulkRequest extends NoteRequest {
  @ListField(uuid(), { min: 1, max: MAX_BULK, description: 'Of any projects the caller is a member of' })
  ids!: string[];

  @EnumField(BULK_ACTIONS, { description: 'Done to each of them' })
  action!: BulkAction;
}

export class BulkResult {
  @UuidField({})
  id!: string;

  @BooleanField({ description: 'Whether it was done' })
  ok!: boolean;

  @EnumField(BULK_REFUSALS, {
    nullable: true,
    description: 'Why not, as the single request answers; null when it is done',
  })
  detail!: string | null;
}

export class BulkResponse {
  @ListField(nested(() => BulkResult), { description: 'One for each id, in their order' })
  results!: BulkResult[];
}
