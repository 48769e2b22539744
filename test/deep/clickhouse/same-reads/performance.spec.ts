import './on-clickhouse.js';
import '../../../e2e/events/performance.spec.js';
