import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { isCanceled } from '../../../platform/database/database-faults.js';
import { FairSemaphore } from '../../../platform/concurrency/index.js';
import { MAX_SEARCHED } from './patterns/pattern-syntax.js';
import { patternForPostgres } from './patterns/pattern-sql.js';
import { TextPattern } from './patterns/text-pattern.js';
import { TooManyPatternTrials } from './pattern-trials.errors.js';

/**
 * Maximum number of requests that try patterns at the same time in this process. Each may occupy a connection and a
 * processor of PostgreSQL.
 */
const TRIALS_AT_ONCE = 2;
const WAIT_TIMEOUT_MS = 2_000;
/** Maximum number of waiting requests. Beyond it, a request is refused immediately. */
const MAX_QUEUED = 256;
/** Timeouts for one pattern and for all patterns of a request. Tests on a busy machine raise them. */
const LIMITS = { patternMs: 500, requestMs: 3_000 };
const INVALID_REGULAR_EXPRESSION = '2201B';

/** The texts that a trial searches. For patterns of each kind, some of them are expensive. */
const PROBES: readonly string[] = [
  '',
  'a',
  'GET /api/v1/users/42 timed out after 30.5 s\n[error] code=500 user=ada@example.com',
  'ab'.repeat(MAX_SEARCHED / 2),
  Array.from({ length: MAX_SEARCHED }, (_, index) => 'ab0 .-'[(index * index + (index >> 3)) % 6]).join(''),
];

interface FailedTrial {
  readonly source: string;
  readonly why: 'refused' | 'slow' | 'different';
}

/** Runs patterns in PostgreSQL, as a search in the events of a project would. */
@Injectable()
export class PatternTrialsRepository {
  limits: Readonly<typeof LIMITS> = LIMITS;

  private readonly slots = new FairSemaphore({
    parallel: TRIALS_AT_ONCE,
    maxPerKey: 1,
    maxQueued: MAX_QUEUED,
    timeout: { ms: WAIT_TIMEOUT_MS, refusal: TooManyPatternTrials },
  });

  constructor(private readonly database: Database) {}

  /**
   * @returns the first pattern that fails, or null when all pass
   * @throws TooManyPatternTrials when the request waited 2 seconds for other trials, or too many requests wait
   */
  firstFailing(projectId: string, sources: readonly string[]): Promise<FailedTrial | null> {
    return this.slots.run(projectId, async () => {
      const { patternMs, requestMs } = this.limits;
      const until = performance.now() + requestMs;
      for (const source of sources) {
        const left = Math.min(patternMs, Math.ceil(until - performance.now()));
        const why = left <= 0 ? 'slow' : await this.fault(projectId, source, left);
        if (why !== null) return { source, why };
      }
      return null;
    });
  }

  /** Runs one pattern in a transaction of its own, which a failing pattern aborts. */
  private async fault(projectId: string, source: string, limitMs: number): Promise<FailedTrial['why'] | null> {
    const pattern = new TextPattern(projectId, source);
    try {
      const [row] = await this.database.snapshot(async (tx) => {
        await this.database.execute(`SET LOCAL statement_timeout = ${limitMs}`, [], tx);
        return this.database.rows<{ found: boolean[] }>(
          'SELECT array_agg(text ~ $1 ORDER BY place) AS found FROM unnest($2::text[]) WITH ORDINALITY AS probe (text, place)',
          [patternForPostgres(source), PROBES],
          tx,
        );
      });
      const isSame = PROBES.every((text, index) => row?.found[index] === pattern.isIn(text));
      return isSame ? null : 'different';
    } catch (error) {
      return whyOf(error);
    }
  }
}

/** @throws the error when the pattern did not cause it */
function whyOf(error: unknown): FailedTrial['why'] {
  const { code } = error as { code?: unknown };
  if (code === INVALID_REGULAR_EXPRESSION) return 'refused';
  if (isCanceled(error)) return 'slow';
  throw error;
}
