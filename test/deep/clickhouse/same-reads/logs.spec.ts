import './on-clickhouse.js';
import '../../../e2e/events/logs.spec.js';
