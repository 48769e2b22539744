import './on-clickhouse.js';
import '../../../e2e/events/event-reads.spec.js';
