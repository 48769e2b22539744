import {
  DateTimeField,
  EnumField,
  ObjectField,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { FilterField, type FilterNode, storedFilter, StoredFilterRefused } from '../../../events/conditions/index.js';
import { SILENCE_FIELDS, SILENCE_VOCABULARY } from './silence-evaluator.js';
import { type ReadSilence, SILENCE_STATES, type SilenceState } from './silences.repository.js';

const FILTER =
  `Which alert events nobody is told of, in the grammar of conditions. \`severity\` and \`message\` are those of the
alert event, \`event\`, \`source\`, \`properties.<path>\` and the rest those of the event that began it, or the values of its
group; also \`alert_rule_id\`, \`rule_name\`, \`fingerprint\`.`.replaceAll('\n', ' ');
const EXAMPLE = { all: [{ field: 'event', op: 'eq', value: 'payment.failed' }] };
const field = { description: FILTER, example: EXAMPLE };

export class SilencesQuery {
  @UuidField({})
  project_id!: string;

  @EnumField(SILENCE_STATES, { optional: true, description: 'Of this state alone' })
  state?: SilenceState;
}

export class CreateSilenceRequest {
  @UuidField({})
  project_id!: string;

  @FilterField(SILENCE_VOCABULARY, field)
  filter!: FilterNode;

  @DateTimeField({ optional: true, nullable: true, description: 'Left out: now' })
  starts_at?: Date | null;

  @DateTimeField({ description: 'In the future, at most 366 days ahead, and after its start' })
  ends_at!: Date;

  @TextField({ max: 500, optional: true, nullable: true, description: 'Why it is silent, for people' })
  reason?: string | null;
}

/** Fields that are left out stay unchanged. */
export class UpdateSilenceRequest {
  @FilterField(SILENCE_VOCABULARY, { ...field, optional: true })
  filter?: FilterNode;

  @DateTimeField({ optional: true, description: 'When it begins' })
  starts_at?: Date;

  @DateTimeField({
    optional: true,
    description: 'In the future, at most 366 days ahead; to end a silence now, delete it',
  })
  ends_at?: Date;

  @TextField({
    max: 500,
    optional: true,
    nullable: true,
    description: 'Why it is silent, for people; null takes it away',
  })
  reason?: string | null;
}

export class SilenceResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @ObjectField({ ...field, document: SILENCE_VOCABULARY.storedDocument })
  filter!: Record<string, unknown>;

  @DateTimeField({ description: 'When it begins' })
  starts_at!: string;

  @DateTimeField({ description: 'When it ends' })
  ends_at!: string;

  @TextField({ nullable: true, description: 'Why it is silent, for people' })
  reason!: string | null;

  @UuidField({ nullable: true, description: 'Null: the account is gone' })
  created_by!: string | null;

  @EnumField(SILENCE_STATES, { description: 'Whether it holds now' })
  state!: SilenceState;

  @TextField({
    nullable: true,
    description: 'Why the filter is no longer accepted, so that the silence holds nothing back; null when it is',
  })
  filter_error!: string | null;

  @DateTimeField({})
  created_at!: string;
}

export function silenceResponse(silence: ReadSilence): SilenceResponse {
  return {
    id: silence.id,
    project_id: silence.projectId,
    filter: silence.filter as Record<string, unknown>,
    starts_at: silence.startsAt.toISOString(),
    ends_at: silence.endsAt.toISOString(),
    reason: silence.reason,
    created_by: silence.createdBy,
    state: silence.state,
    filter_error: silence.state === 'expired' ? null : filterError(silence.filter),
    created_at: silence.createdAt.toISOString(),
  };
}

function filterError(filter: unknown): string | null {
  try {
    storedFilter(filter, SILENCE_FIELDS);
    return null;
  } catch (error) {
    if (error instanceof StoredFilterRefused) return error.message;
    throw error;
  }
}
