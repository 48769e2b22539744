import './on-clickhouse.js';
import '../../../e2e/events/log-fields.spec.js';
