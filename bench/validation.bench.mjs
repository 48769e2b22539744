// Measures the validation of one event: parsing its JSON, our compiled reader, and class-transformer with
// class-validator for the same class.
import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { IngestRequest } from '../dist/src/modules/events/fields/event.dto.js';
import { compile, validateJson } from '../dist/src/platform/http/validation/index.js';

const ROUNDS = 15;

const BODY = {
  event_type: 'http.request',
  source: 'web',
  event_id: 'order-4711',
  timestamp: '2026-01-02T03:04:05.678Z',
  severity: 'info',
  message: 'GET /cart took 41 ms',
  status: 'success',
  environment: 'production',
  payload: { method: 'GET', path: '/cart', status_code: 200, latency_ms: 41 },
  properties: { region: 'eu', user: { id: 7, plan: 'pro' } },
};

/** Returns the median microseconds of one call. */
function measured(calls, work) {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const began = performance.now();
    for (let call = 0; call < calls; call++) work();
    return ((performance.now() - began) * 1_000) / calls;
  });
  return rounds.sort((a, b) => a - b)[ROUNDS >> 1];
}

export async function run() {
  const text = JSON.stringify(BODY);
  const schema = compile(IngestRequest);
  const works = [
    ['JSON.parse', 50_000, () => JSON.parse(text)],
    ['compiled reader', 50_000, () => validateJson(schema, BODY, 'body')],
    ['plainToInstance + validateSync', 1_000, () => validateSync(plainToInstance(IngestRequest, BODY))],
  ];
  // The runtime compiles the code before the measurement.
  for (const [, calls, work] of works) measured(calls / 10, work);
  console.table(works.map(([reading, calls, work]) => ({ reading, 'µs an event': measured(calls, work).toFixed(2) })));
}
