import './begin-counted.js';
import '../../../integration/events/source-monitoring.js';
