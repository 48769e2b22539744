import { DomainError } from '../../../platform/http/domain-error.js';

const SENTENCE = 'All events of the batch were refused';
const COUNT = { type: 'integer', minimum: 0 };

/**
 * Every event of a batch is refused, event by event. The answer has the members of an answer to a batch in addition to
 * `detail`.
 */
export class AllEventsRefused extends DomainError {
  static readonly status: number = 422;
  static readonly detail = SENTENCE;
  /** The schemas of the members, for the document. */
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
   * @param members of the answer, in addition to `detail`
   * @param quota the refusal by the quota or limit that is the reason of all events; null: 422
   */
  constructor(
    override readonly members: object = {},
    quota: DomainError | null = null,
  ) {
    super(quota?.status ?? AllEventsRefused.status, SENTENCE);
    this.headers = quota?.headers ?? {};
  }
}

/** The same refusal where the monthly quota is the reason of all events, for the document. */
export class AllEventsOverQuota extends AllEventsRefused {
  static override readonly status = 403;
}

/** The same refusal where the daily limit is the reason of all events, for the document. */
export class AllEventsOverDailyLimit extends AllEventsRefused {
  static override readonly status = 429;
}
