import './begin.js';
import '../../../e2e/events/search.spec.js';
