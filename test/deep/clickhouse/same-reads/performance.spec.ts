import './begin.js';
import '../../../e2e/events/performance.spec.js';
