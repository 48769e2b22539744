import './begin.js';
import '../../../integration/events/search.spec.js';
