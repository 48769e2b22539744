import './begin.js';
import '../../../e2e/events/analytics.spec.js';
