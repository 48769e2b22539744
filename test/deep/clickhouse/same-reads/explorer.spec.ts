import './on-clickhouse.js';
import '../../../e2e/events/explorer.spec.js';
