import './on-clickhouse.js';
import '../../../e2e/events/source-monitoring.spec.js';
