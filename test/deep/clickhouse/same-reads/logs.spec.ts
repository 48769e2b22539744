import './begin.js';
import '../../../e2e/events/logs.spec.js';
