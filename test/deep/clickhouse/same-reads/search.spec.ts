import './on-clickhouse.js';
import '../../../e2e/events/search.spec.js';
