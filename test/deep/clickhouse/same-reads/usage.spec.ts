import './begin-counted.js';
import '../../../e2e/events/usage.spec.js';
