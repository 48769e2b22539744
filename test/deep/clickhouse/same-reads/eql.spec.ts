import './begin.js';
import '../../../e2e/events/eql.spec.js';
