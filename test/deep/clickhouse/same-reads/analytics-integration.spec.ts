import './begin.js';
import '../../../integration/events/analytics.spec.js';
