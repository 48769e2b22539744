import { SimpleGrid } from '@mantine/core';
import { performanceSummary } from '../../api/insight.js';
import { useAnswer } from '../../parts/answers.js';
import { IS_ERROR } from '../../parts/events-link.js';
import { Failure } from '../../parts/failures.js';
import { changeNote, countNote, Figure } from '../../parts/figure.js';
import { decimal, milliseconds, share, whole } from '../../parts/numbers.js';
import { conditionOf, type PartProps, requestsOf } from './part-props.js';

export const APDEX_MS = 300;

export function Figures({ projectId, window, search }: PartProps) {
  const { data, error } = useAnswer(
    performanceSummary(projectId, window, requestsOf(search), Number(search.apdex ?? APDEX_MS)),
  );
  const { latency, change, apdex, previous } = data ?? {};
  const noteOf = (relative: number | null | undefined): string | undefined =>
    data?.requests === 0 ? undefined : changeNote(relative, previous?.requests);
  const eventsWhere = (...narrower: readonly string[]) => ({ where: conditionOf(search, ...narrower) });
  const slowerThan = (ms: number | null | undefined) =>
    ms === null || ms === undefined ? undefined : eventsWhere(`log.latency_ms >= ${ms}`);
  return (
    <>
      <Failure error={error} />
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
        <Figure
          name={search.events === 'other' ? 'Events' : 'Requests'}
          value={data ? whole(data.requests) : '…'}
          note={countNote(data?.requests, change?.requests, previous?.requests)}
          events={eventsWhere()}
        />
        <Figure
          name="Error rate"
          value={data ? share(data.error_rate) : '…'}
          note={data && `${whole(data.errors)} with 5xx, ${whole(data.client_errors)} with 4xx`}
          isBad={data !== undefined && data.errors > 0}
          events={data !== undefined && data.errors > 0 ? eventsWhere(IS_ERROR) : undefined}
          eventsTitle="Show the events with 5xx"
        />
        <Figure
          name="p50 latency"
          value={latency ? milliseconds(latency.p50_ms) : '…'}
          note={noteOf(change?.p50_ms)}
          events={slowerThan(latency?.p50_ms)}
          eventsTitle="Show the events that took at least as long"
        />
        <Figure
          name="p95 latency"
          value={latency ? milliseconds(latency.p95_ms) : '…'}
          note={noteOf(change?.p95_ms)}
          events={slowerThan(latency?.p95_ms)}
          eventsTitle="Show the events that took at least as long"
        />
        <Figure
          name="Apdex"
          value={apdex === undefined ? '…' : apdex.score === null ? '–' : decimal(apdex.score)}
          note={
            apdex && apdex.score !== null ? `${wordOf(apdex.score)}, ${whole(apdex.frustrated)} frustrated` : undefined
          }
          events={
            apdex !== undefined && apdex.frustrated > 0 ? eventsWhere(frustratedBy(apdex.threshold_ms)) : undefined
          }
          eventsTitle="Show the frustrated requests"
          isBad={apdex !== undefined && apdex.score !== null && apdex.score < 0.7}
        />
      </SimpleGrid>
    </>
  );
}

/** Returns the condition that a request with a latency took more than four times the threshold, or failed. */
function frustratedBy(thresholdMs: number): string {
  return `(log.latency_ms > ${4 * thresholdMs} or (log.latency_ms != null and ${IS_ERROR}))`;
}

/** Returns the rating of the Apdex Alliance for a score. */
function wordOf(score: number): string {
  if (score >= 0.94) return 'excellent';
  if (score >= 0.85) return 'good';
  if (score >= 0.7) return 'fair';
  return score >= 0.5 ? 'poor' : 'unacceptable';
}
