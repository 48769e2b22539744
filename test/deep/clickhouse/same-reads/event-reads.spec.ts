import './begin.js';
import '../../../e2e/events/event-reads.spec.js';
