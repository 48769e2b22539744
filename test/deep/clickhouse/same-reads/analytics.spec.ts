import './on-clickhouse.js';
import '../../../e2e/events/analytics.spec.js';
