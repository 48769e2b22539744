import './begin-counted.js';
import '../../../integration/events/dashboard.spec.js';
