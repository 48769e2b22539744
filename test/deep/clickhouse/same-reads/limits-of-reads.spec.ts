import './begin.js';
import '../../../integration/events/eql.spec.js';
