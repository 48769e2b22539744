/** Example queries that any project with web requests can run. */
export const EXAMPLES = [
  { name: 'Requests that failed', query: 'any where log.status >= 500 | tail 50' },
  {
    name: 'Slow requests, without assets',
    query: 'any where log.latency_ms > 1000 and not log.endpoint : "/assets/*"',
  },
  {
    name: 'Three failures of one source within a minute',
    query: 'sequence by source with maxspan=1m\n  [any where log.status >= 500] with runs=3',
  },
  {
    name: 'A failure without a success of the same source within 30 seconds',
    query: 'sequence by source with maxspan=30s\n  [any where log.status >= 500]\n  ![any where log.status < 400]',
  },
  {
    name: 'Sources with both 4xx and 5xx',
    query: 'sample by source\n  [any where log.status >= 500]\n  [any where log.status >= 400 and log.status < 500]',
  },
] as const;
