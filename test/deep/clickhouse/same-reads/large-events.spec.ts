import './begin.js';
import '../../../e2e/events/large-events.spec.js';
