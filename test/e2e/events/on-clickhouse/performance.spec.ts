import './begin.js';
import '../performance.spec.js';
