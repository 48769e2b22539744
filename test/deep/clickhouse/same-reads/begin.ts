import { readFromClickHouse } from '../../../support/second-store.js';

readFromClickHouse();

// What is asked is the same; that both answer alike to whatever is asked is told by the comparison of both.
process.env.INSIGHT_RUNS ??= '12';
process.env.EQL_RUNS ??= '40';
