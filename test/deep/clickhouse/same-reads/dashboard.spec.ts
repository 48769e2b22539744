import './on-clickhouse-counted.js';
import '../../../e2e/events/dashboard.spec.js';
