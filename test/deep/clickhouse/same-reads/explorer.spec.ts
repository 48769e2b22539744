import './begin.js';
import '../../../e2e/events/explorer.spec.js';
