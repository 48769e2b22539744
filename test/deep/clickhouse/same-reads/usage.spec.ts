import './on-clickhouse-counted.js';
import '../../../e2e/events/usage.spec.js';
