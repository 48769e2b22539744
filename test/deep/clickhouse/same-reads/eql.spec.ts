import './on-clickhouse.js';
import '../../../e2e/events/eql.spec.js';
