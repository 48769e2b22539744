import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  nested,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';

export class BacktestRequest {
  @DateTimeField({ optional: true, description: 'Left out: 24 hours before `to_ts`' })
  from_ts?: Date;

  @DateTimeField({ optional: true, description: 'Left out: now. At most 7 days after `from_ts`' })
  to_ts?: Date;
}

export class BacktestFiring {
  @DateTimeField({ description: 'When it would have fired' })
  at!: string;

  @DateTimeField({
    nullable: true,
    description: 'When it would have recovered; null: not in this time, or not by itself',
  })
  until!: string | null;

  @ObjectField({
    document: { additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
    description: 'The values of the fields that the rule groups by',
  })
  group!: Record<string, unknown>;

  @TextField({ description: 'A sentence that says why' })
  reason!: string;

  @ObjectField({ description: 'The numbers, or the properties of the event, that made it fire' })
  values!: Record<string, unknown>;

  @UuidField({ nullable: true, description: 'The event that made it fire; null for rules on windows' })
  event_id!: string | null;

  @IntField({
    min: 1,
    description: 'How many occurrences one notice would have told: those of the cooldown, or of the episode',
  })
  occurrences!: number;
}

export class BacktestResult {
  @DateTimeField({ description: 'Where the window begins, inclusive' })
  from_ts!: string;

  @DateTimeField({ description: 'Where the window ends, exclusive' })
  to_ts!: string;

  @IntField({
    min: 0,
    description: 'How often the rule was evaluated: each fitting event, or each look at the windows',
  })
  evaluations!: number;

  @IntField({ nullable: true, min: 1, description: 'Between two looks at the windows; null for rules of events' })
  step_seconds!: number | null;

  @BooleanField({ description: 'Whether there was more than one back-test shows, looks at, or has time for' })
  truncated!: boolean;

  @ListField(nested(() => BacktestFiring), { description: 'When it would have fired, oldest first' })
  firings!: BacktestFiring[];
}

export class BacktestResponse extends BacktestResult {
  @UuidField({ description: 'The alert rule' })
  rule_id!: string;
}

/** A back-test of a rule that is not stored. */
export class AlertRulePreviewResponse extends BacktestResult {
  @UuidField({ nullable: true, description: 'Always null: the rule is not stored' })
  rule_id!: null;
}

export class AlertRuleFailure {
  @EnumField(['evaluation_failed'] as const, { description: 'What clients tell the refusal by' })
  code!: 'evaluation_failed';

  @TextField({ description: 'What the rule says in `last_error`' })
  reason!: string;
}
