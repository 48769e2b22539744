import './begin.js';
import '../source-monitoring.spec.js';
