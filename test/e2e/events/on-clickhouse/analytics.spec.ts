import './begin.js';
import '../analytics.spec.js';
