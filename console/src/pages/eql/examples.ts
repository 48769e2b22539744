/** Example queries that any project with web requests can run. */
export const EXAMPLES = [
  { name: 'Requests that failed', query: 'any where log.status >= 500 | tail 50' },
  {
    name: 'Slow ones, of everything but assets',
    query: 'any where log.latency_ms > 1000 and not log.endpoint : "/assets/*"',
  },
  {
    name: 'Three failures of one source within a minute',
    query: 'sequence by source with maxspan=1m\n  [any where log.status >= 500] with runs=3',
  },
  {
    name: 'A failure, and nothing good of that source for half a minute',
    query: 'sequence by source with maxspan=30s\n  [any where log.status >= 500]\n  ![any where log.status < 400]',
  },
  {
    name: 'Sources that both refuse and fail',
    query: 'sample by source\n  [any where log.status >= 500]\n  [any where log.status >= 400 and log.status < 500]',
  },
] as const;
