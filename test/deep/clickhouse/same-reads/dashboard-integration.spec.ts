import './begin-counted.js';
import '../../../integration/events/dashboard.js';
