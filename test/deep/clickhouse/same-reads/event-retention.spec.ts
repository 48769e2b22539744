import './begin.js';
import '../../../e2e/events/event-retention.spec.js';
