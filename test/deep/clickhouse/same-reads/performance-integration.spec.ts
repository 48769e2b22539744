import './begin.js';
import '../../../integration/events/limits-of-reads/performance.js';
