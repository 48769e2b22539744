import './begin.js';
import '../../../integration/events/performance.spec.js';
