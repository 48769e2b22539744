import './begin.js';
import '../../properties/large-events.spec.js';
