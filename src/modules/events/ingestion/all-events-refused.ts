import { DomainError } from '../../../platform/http/domain-error.js';

const SENTENCE = 'All events of the batch were refused';

/**
 * Every event of a batch is refused, event by event. The answer has the members of an answer to a batch in addition to
 * `detail`.
 */
export class AllEventsRefused extends DomainError {
  static readonly status = 422;
  static readonly detail = SENTENCE;
  override readonly headers: Readonly<Record<string, string>>;

  /**
   * @param members of the answer, beside `detail`
   * @param quota the refusal by the quota or limit that is the reason of all events; null: 422
   */
  constructor(
    override readonly members: object = {},
    quota: DomainError | null = null,
  ) {
    super(quota?.status ?? 422, SENTENCE);
    this.headers = quota?.headers ?? {};
  }
}
