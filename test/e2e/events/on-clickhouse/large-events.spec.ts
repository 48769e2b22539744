import './begin.js';
import '../large-events.spec.js';
