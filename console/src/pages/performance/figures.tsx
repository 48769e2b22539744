import { SimpleGrid } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { performanceSummary } from '../../api/insight.js';
import { Failure } from '../../parts/failures.js';
import { changeNote, Figure } from '../../parts/figure.js';
import { decimal, milliseconds, share, whole } from '../../parts/numbers.js';
import { type PartProps, requestsOf } from './asked.js';

export const APDEX_MS = 300;
/** With fewer requests in the previous period, a change in percent says nothing. */
const MIN_COMPARED = 20;

export function Figures({ projectId, window, search }: PartProps) {
  const { data, error } = useQuery({
    ...performanceSummary(projectId, window, requestsOf(search), Number(search.apdex ?? APDEX_MS)),
    placeholderData: keepPreviousData,
  });
  const { latency, change, apdex, previous } = data ?? {};
  const noteOf = (relative: number | null | undefined): string | undefined => {
    if (!previous || data?.requests === 0) return undefined;
    return previous.requests < MIN_COMPARED ? 'new' : changeNote(relative);
  };
  return (
    <>
      <Failure error={error} />
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
        <Figure
          name={search.events === 'other' ? 'Events' : 'Requests'}
          value={data ? whole(data.requests) : '…'}
          note={noteOf(change?.requests)}
        />
        <Figure
          name="Error rate"
          value={data ? share(data.error_rate) : '…'}
          note={data && `${whole(data.errors)} with 5xx, ${whole(data.client_errors)} with 4xx`}
          isBad={data !== undefined && data.errors > 0}
        />
        <Figure name="p50 latency" value={latency ? milliseconds(latency.p50_ms) : '…'} note={noteOf(change?.p50_ms)} />
        <Figure name="p95 latency" value={latency ? milliseconds(latency.p95_ms) : '…'} note={noteOf(change?.p95_ms)} />
        <Figure
          name="Apdex"
          value={apdex === undefined ? '…' : apdex.score === null ? '–' : decimal(apdex.score)}
          note={apdex && apdex.score !== null ? wordOf(apdex.score) : undefined}
          isBad={apdex !== undefined && apdex.score !== null && apdex.score < 0.7}
        />
      </SimpleGrid>
    </>
  );
}

/** Returns the rating of the Apdex Alliance for a score. */
function wordOf(score: number): string {
  if (score >= 0.94) return 'excellent';
  if (score >= 0.85) return 'good';
  if (score >= 0.7) return 'fair';
  return score >= 0.5 ? 'poor' : 'unacceptable';
}
