import { DomainError } from '../../../platform/http/domain-error.js';

const SENTENCE = 'All events of the batch were refused';
const COUNT = { type: 'integer', minimum: 0 };

/** No event of a batch was accepted. The answer has the members of an answer to a batch in addition to `detail`. */
export class AllEventsRefused extends DomainError {
  static readonly status: number = 422;
  static readonly detail = SENTENCE;
  /** The schemas of the members, for the OpenAPI document. */
  static readonly members: Readonly<Record<string, object>> = {
    accepted: { ...COUNT, const: 0, description: 'Of a batch: no event was taken' },
    rejected: { ...COUNT, description: 'Of a batch: how many events were not taken' },
    results: {
      type: 'array',
      items: { $ref: '#/components/schemas/IngestLineResult' },
      description: 'Of a batch: one for each line that is not blank',
    },
  };
  override readonly headers: Readonly<Record<string, string>>;

  /**
   * @param members the members of the answer in addition to `detail`
   * @param quota the refusal by a quota or limit, when this is the reason for all refusals; null answers 422
   */
  constructor(
    override readonly members: object = {},
    quota: DomainError | null = null,
  ) {
    super(quota?.status ?? AllEventsRefused.status, SENTENCE);
    this.headers = quota?.headers ?? {};
  }
}

/** Describes the refusal in the OpenAPI document when the monthly quota is the reason for all refusals. */
export class AllEventsOverQuota extends AllEventsRefused {
  static override readonly status = 403;
}

/** Describes the refusal in the OpenAPI document when the daily limit is the reason for all refusals. */
export class AllEventsOverDailyLimit extends AllEventsRefused {
  static override readonly status = 429;
}
